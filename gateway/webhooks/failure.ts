import type { WebhookFailure } from '#core';
import { AddressNotAllowedError } from './resolve-host.ts';

/** What the owner of an endpoint is told. The words of the error itself stay inside: they tell about our network. */
export function failureOf(error: unknown): WebhookFailure {
  if (error instanceof AddressNotAllowedError) return 'address_not_allowed';
  const { code = '' } = error as { code?: string };
  if (nameCodes.has(code)) return 'name_not_found';
  if (code.startsWith('HPE_')) return 'invalid_response';
  if (/^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_)/.test(code)) {
    return 'tls_failed';
  }
  return 'connection_failed';
}

const nameCodes = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'ESERVFAIL',
  'EREFUSED',
  'EBADNAME',
]);
