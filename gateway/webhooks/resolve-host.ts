import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Rejects if the name has no address, or if the signal is aborted. */
export type FindAddresses = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

export class AddressNotAllowedError extends Error {
  override name = 'AddressNotAllowedError';
}

interface HostSettings {
  readonly allowPrivate: boolean;
  readonly findAddresses: FindAddresses;
}

/**
 * Returns the addresses of a URL's host. One private address refuses the whole host, because honest names have none.
 *
 * @throws AddressNotAllowedError
 */
export async function resolveHost(
  { hostname }: URL,
  { allowPrivate, findAddresses }: HostSettings,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  // Without the brackets of IPv6. The URL parser has normalized all forms of IPv4 addresses.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  // These names always mean this machine, even if DNS servers don't know them.
  if (!allowPrivate && /(^|\.)localhost\.?$/.test(host)) throw new AddressNotAllowedError();
  const addresses: readonly Address[] =
    family === 0
      ? await findAddresses(host, signal)
      : [{ address: host, family: family === 4 ? 4 : 6 }];
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new AddressNotAllowedError();
  }
  return addresses;
}

/**
 * Asks DNS servers directly. The lookup of the operating system would block one of few threads while a hostile DNS
 * server doesn't answer.
 */
export async function findByDns(name: string, signal: AbortSignal): Promise<readonly Address[]> {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [ipv6, ipv4] = await Promise.all([
      resolver.resolve6(name).catch(() => []),
      resolver.resolve4(name).catch(() => []),
    ]);
    const addresses: Address[] = [
      ...ipv6.map((address) => ({ address, family: 6 as const })),
      ...ipv4.map((address) => ({ address, family: 4 as const })),
    ];
    if (addresses.length === 0) {
      throw Object.assign(new Error(`no address is known for ${name}`), { code: 'ENOTFOUND' });
    }
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** For development: also finds names of this machine and its network. */
export async function findBySystem(name: string): Promise<readonly Address[]> {
  const addresses = await lookup(name, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 4 ? 4 : 6 }));
}
