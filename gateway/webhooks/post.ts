import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { WebhookOutcome } from '#core';
import type { Address } from './resolve-host.ts';

interface Post {
  /** The only ones that may be connected to. Unused with a proxy. */
  readonly addresses: readonly Address[];
  /** The URL of a proxy that makes the connection and looks up the name. Null: none. */
  readonly proxy: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

/** So much of a response is read, and thrown away, so that the receiver can finish it. */
const maxResponseBytes = 4096;

/**
 * One POST in a connection of its own, which no other request shares. The status counts as soon as it is there; a
 * redirect is a status like any other.
 */
export async function post(url: URL, { addresses, proxy, headers, body, ca, signal }: Post) {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookOutcome>();
  const isSecure = url.protocol === 'https:';
  // Node's global agents keep connections, and use a proxy if the environment says so.
  const agentOptions = {
    keepAlive: false,
    ...(proxy !== null && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
  };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent,
    signal,
    ...(proxy === null && { lookup: answerWith(addresses) }),
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  };
  const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
  let outcome: WebhookOutcome | undefined;
  const end = (error: Error) => (outcome === undefined ? reject(error) : resolve(outcome));
  request.on('error', end);
  // Who answers by changing the protocol, which was not asked for, is left by Node without an error or a response.
  request.on('close', () => end(new Error('the connection has ended without a response')));
  request.on('response', (response) => {
    const answered = readOutcome(response);
    outcome = answered;
    drain(response, () => {
      resolve(answered);
      request.destroy();
    });
  });
  request.end(body);
  return promise;
}

/** Tells the addresses that were checked. Names are looked up nowhere else; an address in a URL is not looked up at all. */
function answerWith(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function readOutcome({ statusCode = 0, headers }: IncomingMessage): WebhookOutcome {
  const text = headers['retry-after'] ?? '';
  const until = Date.parse(text);
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((until - Date.now()) / 1000);
  return { status: statusCode, retryAfterSeconds: seconds > 0 ? seconds : null };
}

/** Reads to the end, or to the limit, or until the connection ends in whatever way. */
function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxResponseBytes) done();
  });
  response.on('error', done);
  response.on('close', done);
}
