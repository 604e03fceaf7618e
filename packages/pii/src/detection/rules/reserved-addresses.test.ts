import { BlockList, isIPv6 } from 'node:net';
import { expect, it } from 'vitest';
import { isReserved } from './reserved-addresses.ts';

it.each(
  `10.1.2.3 172.16.0.1 172.31.255.254 192.168.1.1 127.0.0.53 169.254.169.254 100.64.0.1 100.127.255.1 192.0.2.1 198.51.100.9
  203.0.113.200 198.19.1.1 224.0.0.251 255.255.255.255 0.0.0.0 ::1 fe80::1 fd00::5 fc12:3456::1 ff02::fb 2001:db8::8a2e
  2001:0db8:1::1 3fff:abc::1 ::ffff:10.1.2.3 ::ffff:c0a8:101 0:0:0:0:0:ffff:192.168.1.1 64:ff9b::10.0.0.1 2002:a00:1::1`.split(
    /\s+/,
  ),
)('%s is reserved', (address) => {
  expect(isReserved(address)).toBe(true);
});

it.each(
  `9.255.255.255 11.0.0.1 172.15.1.1 172.32.0.1 192.167.1.1 100.63.1.1 100.128.0.1 198.20.0.1 203.0.114.1 223.255.255.1
  2a02:db8::1 2001:470::1 2600:1f18::1 ::ffff:86.121.97.248 64:ff9b::86.121.97.248 2002:5679:61f8::1 2001:db80::1 fbff::1`.split(
    /\s+/,
  ),
)('%s is not reserved', (address) => {
  expect(isReserved(address)).toBe(false);
});

it('agrees with the block list of Node on every first octet and group', () => {
  const list = new BlockList();
  const networks = [
    '10.0.0.0/8',
    '127.0.0.0/8',
    '0.0.0.0/8',
    '224.0.0.0/4',
    '240.0.0.0/4',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ];
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  for (let octet = 0; octet < 256; octet++) {
    const address = `${octet}.200.5.9`;
    expect([address, isReserved(address)]).toEqual([address, list.check(address)]);
    const group = `${(octet * 256 + 0x8f).toString(16)}:5::9`;
    expect([group, isReserved(group)]).toEqual([group, list.check(group, 'ipv6')]);
  }
});
