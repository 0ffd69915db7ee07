import net from 'node:net';
import type { Answer } from './http-client.ts';

/**
 * Writes raw bytes, and collects the response until the server closes the connection. For requests
 * that no HTTP client would send.
 */
export async function exchangeBytes(url: string, ...parts: (string | Buffer)[]): Promise<Buffer> {
  const connection = openConnection(url);
  for (const part of parts) connection.write(part);
  return connection.closed;
}

export interface RawConnection {
  write(bytes: string | Buffer): void;
  /** Ends the sending side, but still receives the answer. */
  end(): void;
  readonly closed: Promise<Buffer>;
  /** Resolves once the received text contains the given text. */
  waitFor(text: string): Promise<void>;
}

export function openConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  const closed = Promise.withResolvers<Buffer>();
  const waiting: { text: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  const received = () => Buffer.concat(chunks);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    for (const { text, resolve } of waiting) if (received().includes(text)) resolve();
  });
  socket.on('end', () => socket.end());
  // The server may reset the connection during a write. Bytes received earlier are still used.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const { text, reject } of waiting) reject(new Error(`closed before ${text} came`));
    closed.resolve(received());
  });
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    closed: closed.promise,
    waitFor(text) {
      if (received().includes(text)) return Promise.resolve();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ text, resolve, reject });
      return promise;
    },
  };
}

/** Parses responses to several requests that were sent at once. */
export function parseResponses(bytes: Buffer, methods: readonly string[] = ['GET']): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`not a response: ${rest.toString('latin1').slice(0, 200)}`);
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = /^HTTP\/1\.[01] (\d{3}) /.exec(`${statusLine} `)?.[1];
    if (status === undefined) throw new Error(`not a status line: ${statusLine}`);
    rest = rest.subarray(end + 4);
    if (status === '100') continue;
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const method = methods[Math.min(answers.length, methods.length - 1)] ?? 'GET';
    const length = method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0);
    if (rest.length < length) throw new Error('the body was cut off');
    const text = rest.subarray(0, length).toString();
    rest = rest.subarray(length);
    const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
    answers.push({
      method,
      path: '(raw)',
      status: Number(status),
      headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    });
  }
  return answers;
}
