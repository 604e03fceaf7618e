/** Networks without a person: this host, private, shared and link-local ones, documentation, tests, multicast, masks. */
const IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;
const RANGES = IPV4.split(/\s+/).map((network) => {
  const [address = '', bits = '32'] = network.split('/');
  const first = numberOf(address.split('.').map(Number));
  return { first, last: first + 2 ** (32 - Number(bits)) - 1 };
});
/** Set for the first octets of the ranges: most addresses need no further check. */
const FIRST_OCTETS = new Uint8Array(256);
for (const { first, last } of RANGES) FIRST_OCTETS.fill(1, Math.floor(first / 2 ** 24), Math.floor(last / 2 ** 24) + 1);
/** Unique local, link-local, site-local, multicast, documentation, and discard-only networks of IPv6. */
const IPV6 = /^(?:f[cd][\da-f]{2}:|fe[89a-f][\da-f]:|ff[\da-f]{2}:|2001:0?db8:|3fff:0?[\da-f]{0,3}:|0?100::|::1?$)/i;
const RESERVED_BEGINNING = /^(?:[f0:]|2001:0?db8|2002:|3f|64:|1)/i;
/** IPv6 addresses that contain one of IPv4, in decimal or hexadecimal: mapped, NAT64, and 6to4. */
const WITH_IPV4 =
  /^(?:(?:(?:0:){5}|::)(?:ffff:)?(?:0:)?|64:ff9b::)(?:([\d.]{7,15})|([\da-f]{1,4}):([\da-f]{1,4}))$|^2002:([\da-f]{1,4}):([\da-f]{1,4}):/i;

/** Checks whether an IPv4 address belongs to no person: a private or reserved network. */
export function isReservedIpv4(octets: readonly number[]): boolean {
  if (FIRST_OCTETS[octets[0] ?? 0] === 0) return false;
  const address = numberOf(octets);
  return RANGES.some(({ first, last }) => address >= first && address <= last);
}

/** Checks whether a valid address of either version belongs to no person. */
export function isReserved(address: string): boolean {
  if (!address.includes(':')) return isReservedIpv4(address.split('.').map(Number));
  if (!RESERVED_BEGINNING.test(address)) return false;
  if (IPV6.test(address)) return true;
  const [, decimal, mappedHigh, mappedLow, relayHigh, relayLow] = WITH_IPV4.exec(address) ?? [];
  const high = mappedHigh ?? relayHigh;
  const low = mappedLow ?? relayLow;
  if (decimal !== undefined) return isReservedIpv4(decimal.split('.').map(Number));
  if (high === undefined || low === undefined) return false;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return isReservedIpv4([first >> 8, first & 255, second >> 8, second & 255]);
}

function numberOf(octets: readonly number[]): number {
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}
