/** What is asked, in the order in which it is asked, over and over. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key: string;
  readonly body?: string;
  readonly acceptEncoding?: string;
  /** Whose data it is; with several, that of one of them. */
  readonly companyId?: string;
  /** An answer with a shorter body is a wrong one, whatever its status. */
  readonly minBytes: number;
}

export function toBytes({ method, path, key, body, acceptEncoding }: LoadRequest): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'accept: application/json',
    ...(acceptEncoding === undefined ? [] : [`accept-encoding: ${acceptEncoding}`]),
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}
