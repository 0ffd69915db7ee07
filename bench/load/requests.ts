export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The API key. If absent, the HTTP request has no credential. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadRequest extends HttpRequest {
  /** The minimum length of the body. A shorter body counts as wrong, whatever its status is. */
  readonly minBytes: number;
}

export function toBytes({ method, path, key, headers = {}, body }: HttpRequest): Buffer {
  const all = {
    host: '127.0.0.1',
    accept: 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
