import { expect, test } from 'vitest';
import { isPrivateAddress } from './addresses.ts';

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.0.1', true],
  ['192.168.1.1', true],
  ['169.254.169.254', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['::1', true],
  ['::ffff:10.0.0.1', true],
  ['64:ff9b::a00:1', true],
  ['fd00::1', true],
  ['fe80::1', true],
  ['192.0.0.8', true],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b:1::1', true],
  ['2002:a00:1::', true],
  ['fec0::1', true],
  ['8.8.8.8', false],
  ['172.32.0.1', false],
  ['2606:4700:4700::1111', false],
])('%s is private: %s', (address, expected) => expect(isPrivateAddress(address)).toBe(expected));
