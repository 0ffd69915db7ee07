import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** The NAT64 range, whose last 32 bits are an IPv4 address. IPv6 networks reach IPv4 addresses this way. */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** Public addresses where a cloud provider serves the settings of virtual machines. */
const providerAddresses = new Set(['168.63.129.16']);

export function isPublicAddress(text: string): boolean {
  // Refuses an address with a zone, such as fe80::1%eth0, because only local addresses have a zone.
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
