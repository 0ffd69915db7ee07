import type { AttackRequest } from './attack.ts';

export function toBytes({ method, path, key, headers = {}, body }: AttackRequest): Buffer {
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
