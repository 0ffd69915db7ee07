import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Who has one address of IPv6 has all of its network: these parts are the same in all of them. */
const networkParts = 4;

/** Where a request comes from, for counting: its address, with IPv6 the network of it. */
export function sourceOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, networkParts)
        .map((part) => part.toString(16))
        .join(':')
    : address.toString();
}
