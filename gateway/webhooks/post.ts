import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { WebhookOutcome } from '#core';
import type { Address } from './resolve-host.ts';

interface Post {
  /** The checked addresses. The connection may use no other address. Unused if there is a proxy. */
  readonly addresses: readonly Address[];
  /** A proxy that resolves names and connects. Null if no proxy is used. */
  readonly proxy: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

/** The response body is ignored, but read up to this size, so that the receiver can finish the response. */
const maxResponseBytes = 4096;

/** Sends one POST request on a new connection. Doesn't follow redirects. */
export async function post(url: URL, { addresses, proxy, headers, body, ca, signal }: Post) {
  const { promise, resolve, reject } = Promise.withResolvers<WebhookOutcome>();
  const isSecure = url.protocol === 'https:';
  // Node's global agents would keep connections open, and could use a proxy from the environment.
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
  // If the receiver switches protocols, this is the only event: Node emits no error and no response.
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

/** Replaces the name lookup of the connection, so that the connection can't use an unchecked address. */
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

function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxResponseBytes) done();
  });
  response.on('error', done);
  response.on('close', done);
}
