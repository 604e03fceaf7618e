import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Addresses of own networks (RFC 6890). */
const PRIVATE = { 4: new BlockList(), 6: new BlockList() };
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE[4].addSubnet(network, bits, 'ipv4');
}
// The unspecified address, loopback, IPv4 in IPv6 (mapped, NAT64 and 6to4), unique local, link-local, site-local and multicast.
for (const [network, bits] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const) {
  PRIVATE[6].addSubnet(network, bits, 'ipv6');
}

/** Returns whether an address belongs to this machine or to a private network. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 6 ? PRIVATE[6].check(address, 'ipv6') : PRIVATE[4].check(address, 'ipv4');
}

/** Returns whether a host of a URL is this machine by its name or address. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || /^(127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Returns the addresses of a host of a URL. Rejects with the error of the system. */
export async function addressesOf(hostname: string): Promise<readonly string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
