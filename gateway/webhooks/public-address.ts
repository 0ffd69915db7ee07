import ipaddr from 'ipaddr.js';

/** Public IPv6 addresses. All others are special or unassigned. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** NAT64: an IPv6-only network reaches the IPv4 address in the last 32 bits. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** A public address at which one cloud provider serves its machines' settings. */
const providerAddresses = new Set(['168.63.129.16']);

/** Returns true if the address is public, and not private or special. */
export function isPublicAddress(text: string): boolean {
  // A zone, for example fe80::1%eth0, exists only for local addresses.
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  if (address.isIPv4MappedAddress()) return isPublicIpv4(address.toIPv4Address());
  if (address.match(nat64)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return address.range() === 'unicast' && address.match(globalUnicast);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !providerAddresses.has(address.toString());
}
