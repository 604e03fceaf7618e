import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Addresses of own networks (RFC 6890): loopback, private, link-local, shared, unique local, and unspecified ones. */
const PRIVATE = new BlockList();
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
];
for (const [net, prefix] of PRIVATE_V4) {
  PRIVATE.addSubnet(net, prefix, 'ipv4');
  PRIVATE.addSubnet(`::ffff:${net}`, 96 + prefix, 'ipv6');
}
for (const [net, prefix] of PRIVATE_V6) PRIVATE.addSubnet(net, prefix, 'ipv6');

/** Returns whether an IP address belongs to an own network, which a public server must not lead to. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
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
