import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

// biome-ignore lint/suspicious/noExplicitAny: an answer has any form until a test has checked it
export type Json = any;

export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  /** Sent unchanged. The content type is sent only if `headers` contains one. */
  readonly raw?: string | Buffer;
}

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** Undefined without a body, or if the body isn't JSON. */
  readonly body: Json;
}

export interface HttpClient {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): void;
}

/**
 * Uses Node's own client, because fetch normalises paths, sends no body with GET and merges
 * headers. `check` gets each answer before the test does.
 */
export function createHttpClient(
  url: string,
  check: (answer: Answer) => void = () => undefined,
  maxSockets = 64,
  /** The call fails after this many milliseconds without data. 0 means never. */
  patience = 0,
): HttpClient {
  const { hostname, port } = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets });

  function exchange(method: string, path: string, options: CallOptions): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const payload =
      options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const request = http.request({
      agent,
      hostname,
      port,
      method,
      path,
      timeout: patience,
      headers: {
        ...(options.key != null && { authorization: `Bearer ${options.key}` }),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...(payload !== undefined && { 'content-length': String(Buffer.byteLength(payload)) }),
        ...options.headers,
      },
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error('nobody answers')));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const decode = decoders[response.headers['content-encoding'] ?? ''];
        const bytes = Buffer.concat(chunks);
        const text = String(bytes.length > 0 && decode !== undefined ? decode(bytes) : bytes);
        const isJson = /^application\/json\b/.test(response.headers['content-type'] ?? '');
        resolve({
          method,
          path,
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson && text !== '' ? JSON.parse(text) : undefined,
        });
      });
    });
    request.end(payload);
    return promise;
  }

  return {
    async call(method, path, options = {}) {
      const answer = await exchange(method, path, options);
      check(answer);
      return answer;
    },
    close: () => agent.destroy(),
  };
}
