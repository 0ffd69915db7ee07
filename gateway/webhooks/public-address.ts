import ipaddr from 'ipaddr.js';

/** IPv6 addresses of the internet; what lies outside is special, or not given out. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** By NAT64 a network without IPv4 reaches the IPv4 address in the last 32 bits. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** A public address behind which one cloud provider serves the settings of its machines. */
const providerAddresses = new Set(['168.63.129.16']);

/** Whether the address, in its usual notation, belongs to the internet and to nothing nearer or special. */
export function isPublicAddress(text: string): boolean {
  // A zone, as in fe80::1%eth0, is only there for addresses of this machine's own networks.
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
