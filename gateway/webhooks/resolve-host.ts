import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name. Rejects if the name has no address, or if the signal is aborted. */
export type FindAddresses = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

export class AddressNotAllowedError extends Error {
  override name = 'AddressNotAllowedError';
}

interface HostSettings {
  readonly allowPrivate: boolean;
  readonly findAddresses: FindAddresses;
}

/**
 * Returns the addresses of a URL's host. If one of its addresses is private, the host is refused, because public hosts
 * have no private addresses.
 *
 * @throws AddressNotAllowedError
 */
export async function resolveHost(
  { hostname }: URL,
  { allowPrivate, findAddresses }: HostSettings,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  // Removes the brackets of an IPv6 address. The URL parser has already normalized all forms of IPv4 addresses.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  // A name that ends in `localhost` always means this machine, even if DNS servers don't know the name.
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
 * Sends the query directly to DNS servers. The lookup of the operating system uses a few shared threads, and a hostile
 * DNS server that doesn't answer would block one of them.
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

/** For development. Also finds names of this machine and of the local network. */
export async function findBySystem(name: string): Promise<readonly Address[]> {
  const addresses = await lookup(name, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 4 ? 4 : 6 }));
}
