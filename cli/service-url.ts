import type { Config } from '../gateway/config.ts';

/** All addresses of a machine; one of them is this. */
const unspecified: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Where the service is reached: what is configured, else where it would listen. */
export function serviceUrl({ publicUrl, host, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  const address = unspecified[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}`;
}
