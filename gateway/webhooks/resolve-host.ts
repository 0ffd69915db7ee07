import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a name. Rejects if it has no address, or if the signal is aborted. */
export type FindAddresses = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** The webhook's host, or one of its addresses, isn't public. */
export class AddressNotAllowedError extends Error {
  override name = 'AddressNotAllowedError';
}

interface HostSettings {
  readonly allowPrivate: boolean;
  readonly findAddresses: FindAddresses;
}

/**
 * Returns the allowed addresses of a URL's host. One private address refuses the whole host, because honest names have
 * none.
 *
 * @throws AddressNotAllowedError
 */
export async function resolveHost(
  { hostname }: URL,
  { allowPrivate, findAddresses }: HostSettings,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  // The URL parser has normalized all forms of IPv4 addresses.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  // These names always mean this machine, even if the DNS doesn't know them.
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
 * Asks DNS servers directly. The operating system's lookup would block one of the process's few threads for as long as
 * a hostile DNS server stays silent.
 */
export async function findByDns(name: string, signal: AbortSignal): Promise<readonly Address[]> {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const [ipv4, ipv6] = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    const addresses: Address[] = [
      ...(ipv6 ?? []).map((address) => ({ address, family: 6 as const })),
      ...(ipv4 ?? []).map((address) => ({ address, family: 4 as const })),
    ];
    if (addresses.length === 0) {
      throw Object.assign(new Error(`no address is known for ${name}`), { code: 'ENOTFOUND' });
    }
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Uses the operating system's lookup, including names of this machine and its network. For development. */
export async function findBySystem(name: string): Promise<readonly Address[]> {
  const addresses = await lookup(name, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 4 ? 4 : 6 }));
}
