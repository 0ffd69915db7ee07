import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds the addresses of a name; rejects when there are none, or when the signal is aborted. */
export type FindAddresses = (name: string, signal: AbortSignal) => Promise<readonly Address[]>;

/** The host of a webhook, or one of its addresses, is not on the internet. */
export class AddressNotAllowedError extends Error {
  override name = 'AddressNotAllowedError';
}

interface HostSettings {
  readonly allowPrivate: boolean;
  readonly findAddresses: FindAddresses;
}

/**
 * All addresses that may be connected to for the host of a URL. One that is not public refuses the whole host: an
 * honest name has no such address.
 *
 * @throws AddressNotAllowedError
 */
export async function resolveHost(
  { hostname }: URL,
  { allowPrivate, findAddresses }: HostSettings,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  // The URL has brought every form of an IPv4 address into the usual one.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  // They always mean this very machine, also where the DNS knows nothing of them.
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
 * Asks the DNS servers directly. The operating system's own look-up would occupy one of the few threads that all of the
 * process shares for as long as a hostile DNS server says nothing.
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

/** As the operating system finds it, the names of this machine and its neighbours included: for development. */
export async function findBySystem(name: string): Promise<readonly Address[]> {
  const addresses = await lookup(name, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 4 ? 4 : 6 }));
}
