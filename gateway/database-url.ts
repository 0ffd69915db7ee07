import { accessSync, constants } from 'node:fs';
import { z } from 'zod';
import { url } from './config-values.ts';

/**
 * Parses a PostgreSQL URL like libpq does. Returns a URL that the driver understands. The returned URL has host, port,
 * user, password and database in the usual places, not as parameters. Its sslmode has the same meaning as in libpq.
 */
export const databaseUrl = z
  .string()
  .transform((text, context) => readUrl(text, (message) => context.addIssue(message)))
  .pipe(url('postgres', 'postgresql'));

type Refuse = (message: string) => void;

const severalHosts =
  "can't name several hosts. Use one address that always leads to the primary, such as your provider's or HAProxy's";

function readUrl(text: string, refuse: Refuse): string {
  const parts = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text);
  const [, start = '', hosts = '', rest = ''] = parts ?? [];
  if (hosts.includes(',')) refuse(severalHosts);
  // Adds a host for parsing, because libpq also accepts a URL whose host is only in the parameters.
  const withHost = `${start}${hosts || 'host'}${rest}`;
  const hasHost = hosts !== '' || /[?&]host=/.test(rest);
  if (!hasHost || !URL.canParse(withHost)) return text;
  const target = new URL(withHost);
  moveParameters(target, refuse);
  readTls(target, refuse);
  return target.href;
}

function moveParameters(target: URL, refuse: Refuse): void {
  const take = (name: string) => {
    const value = target.searchParams.get(name);
    if (value !== null) target.searchParams.delete(name);
    return value === null ? null : encodeURIComponent(value);
  };
  const host = take('host');
  if (host?.includes('%2C')) refuse(severalHosts);
  target.hostname = host ?? target.hostname;
  target.port = take('port') ?? target.port;
  target.username = take('user') ?? target.username;
  target.password = take('password') ?? target.password;
  target.pathname = take('dbname') ?? target.pathname;
}

/**
 * Maps each accepted value of sslmode to a libpq value. libpq's `prefer` also allows connections without TLS, but this
 * service then requires TLS. `no-verify` is the driver's name for libpq's `require`.
 */
const modes: Readonly<Record<string, string>> = {
  disable: 'disable',
  prefer: 'require',
  'no-verify': 'require',
  require: 'require',
  'verify-ca': 'verify-ca',
  'verify-full': 'verify-full',
};

const files = ['sslrootcert', 'sslcert', 'sslkey'] as const;

function readTls({ hostname, searchParams }: URL, refuse: Refuse): void {
  // libpq ignores TLS parameters for a Unix socket.
  if (/^%2f/i.test(hostname)) {
    for (const name of ['sslmode', ...files]) searchParams.delete(name);
    return;
  }
  // `system` means the certificates that Node trusts by default, and NODE_EXTRA_CA_CERTS.
  if (searchParams.get('sslrootcert') === 'system') {
    searchParams.delete('sslrootcert');
    searchParams.set('sslmode', 'verify-full');
  }
  for (const name of files) {
    const file = searchParams.get(name);
    if (file !== null && !isReadable(file)) {
      refuse(`names a file that can't be read: ${name}=${file}`);
    }
  }
  const sslmode = searchParams.get('sslmode');
  if (sslmode === null) return;
  const mode = modes[sslmode];
  if (mode === undefined) {
    refuse(`must have one of these as sslmode: ${Object.keys(modes).join(', ')}`);
  } else if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    refuse(
      "must have an sslrootcert with sslmode=verify-ca: the file of your provider's authority",
    );
  } else {
    searchParams.set('sslmode', mode);
    searchParams.set('uselibpqcompat', 'true');
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
