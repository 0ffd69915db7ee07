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
  /** For development. Allows http and all addresses. */
  readonly allowPrivate: boolean;
  /** A proxy that resolves names, checks addresses and connects. */
  readonly proxy?: string | null;
  readonly findAddresses?: FindAddresses;
  /** The limit for the complete attempt: lookup, connection, TLS, headers and body. */
  readonly timeoutMilliseconds?: number;
  /** Replaces the default certificate authorities. */
  readonly ca?: string;
  readonly trace?: TraceWebhook | undefined;
}

/** Must call `send` with additional headers, and return the outcome of `send`. */
export type TraceWebhook = (
  request: Pick<WebhookRequest, 'url' | 'id'>,
  send: (headers: Readonly<Record<string, string>>) => Promise<WebhookOutcome>,
) => Promise<WebhookOutcome>;

/** The time limit of the DNS lookup when an endpoint is created. */
const checkMilliseconds = 3_000;

/**
 * Sends webhooks to URLs that customers choose. Connects only to checked addresses. With a proxy, this code checks only
 * URLs that contain an address. The proxy must check the addresses of all other hosts.
 */
export function createWebhookSender(settings: SenderSettings): WebhookSender {
  const { allowPrivate, proxy = null, ca, timeoutMilliseconds = 15_000 } = settings;
  const trace: TraceWebhook = settings.trace ?? ((_request, send) => send({}));
  const resolveAddresses = settings.findAddresses ?? (allowPrivate ? findBySystem : findByDns);
  const findAddresses: FindAddresses = proxy === null ? resolveAddresses : async () => [];
  const resolve = async (url: URL, signal: AbortSignal) => {
    if (url.protocol !== 'https:' && !allowPrivate) throw new AddressNotAllowedError();
    return waitUntilAborted(resolveHost(url, { allowPrivate, findAddresses }, signal), signal);
  };
  return {
    async isAllowed(url) {
      try {
        await resolve(new URL(url), AbortSignal.timeout(checkMilliseconds));
        return true;
      } catch (error) {
        // Allows a name that can't be resolved now, because each delivery checks the name again.
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
async function waitUntilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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

/** The failure for the endpoint's owner. The error message could reveal details of our network. */
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

/** Returns the headers of Standard Webhooks 1.0. Each secret of the endpoint adds one signature. */
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
