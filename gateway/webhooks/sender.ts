import { createHmac } from 'node:crypto';
import type { WebhookFailure, WebhookOutcome, WebhookRequest, WebhookSender } from '#core';
import { post } from './post.ts';
import {
  AddressNotAllowedError,
  type FindAddresses,
  findByDns,
  findBySystem,
  resolveHost,
} from './resolve-host.ts';

interface SenderSettings {
  /** For development: allows http and every address. */
  readonly allowPrivate: boolean;
  /** A proxy that connects, resolves names and checks their addresses. */
  readonly proxy?: string | null;
  readonly findAddresses?: FindAddresses;
  /** For everything: lookup, connection, TLS, headers and body. */
  readonly timeoutMilliseconds?: number;
  /** Replaces the default certificate authorities. */
  readonly ca?: string;
  readonly trace?: TraceWebhook | undefined;
}

/** Must call `send` with additional headers, and return its outcome. */
export type TraceWebhook = (
  request: Pick<WebhookRequest, 'url' | 'id'>,
  send: (headers: Readonly<Record<string, string>>) => Promise<WebhookOutcome>,
) => Promise<WebhookOutcome>;

/** The limit of the lookup when an endpoint is created. */
const checkMilliseconds = 3_000;

/**
 * Sends webhooks to URLs that customers choose, and connects only to checked addresses. With a proxy, only addresses in
 * URLs are checked here, and the proxy must check the others.
 */
export function createWebhookSender(settings: SenderSettings): WebhookSender {
  const { allowPrivate, proxy = null, ca, timeoutMilliseconds = 15_000 } = settings;
  const trace: TraceWebhook = settings.trace ?? ((_request, send) => send({}));
  const findByUs = settings.findAddresses ?? (allowPrivate ? findBySystem : findByDns);
  const findAddresses: FindAddresses = proxy === null ? findByUs : async () => [];
  const resolve = async (url: URL, signal: AbortSignal) => {
    if (url.protocol !== 'https:' && !allowPrivate) throw new AddressNotAllowedError();
    return untilAborted(resolveHost(url, { allowPrivate, findAddresses }, signal), signal);
  };
  return {
    async isAllowed(url) {
      try {
        await resolve(new URL(url), AbortSignal.timeout(checkMilliseconds));
        return true;
      } catch (error) {
        // Each delivery checks the name again, so an unknown name is allowed.
        return !(error instanceof AddressNotAllowedError);
      }
    },

    send: (request) => trace(request, (headers) => deliver(request, headers)),
  };

  async function deliver(
    request: WebhookRequest,
    more: Readonly<Record<string, string>>,
  ): Promise<WebhookOutcome> {
    const { body, signal } = request;
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      const url = new URL(request.url);
      const addresses = await resolve(url, ended);
      const headers = {
        ...more,
        ...signatureHeaders(request),
        'content-type': 'application/json',
        'user-agent': 'portfolio-access-webhooks',
      };
      return await post(url, { addresses, proxy, headers, body, ca, signal: ended });
    } catch (error) {
      if (signal?.aborted) return { failure: 'stopped' };
      return { failure: timeout.aborted ? 'timeout' : failureOf(error) };
    }
  }
}

/** Rejects as soon as the signal is aborted. The work may continue. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Returns the failure for the owner of the endpoint. The message of the error stays internal, because it reveals our
 * network.
 */
function failureOf(error: unknown): WebhookFailure {
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

const prefix = 'whsec_';

/** Returns the headers of Standard Webhooks 1.0, with one signature per secret. */
function signatureHeaders({
  id,
  timestamp,
  body,
  secrets,
}: WebhookRequest): Record<string, string> {
  const seconds = Math.floor(timestamp.getTime() / 1000).toString();
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
}
