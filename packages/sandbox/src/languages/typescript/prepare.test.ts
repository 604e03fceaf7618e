import { expect, test } from 'vitest';
import { prepareTypescript, prepareTypescriptModule } from './prepare.ts';

test.each([
  [
    'return 1917043659912705296',
    'The number 1917043659912705296 at line 1, column 8 is beyond 2^53, and JavaScript would change it to 1917043659912705300. Write its digits as text ("1917043659912705296") or as a BigInt (1917043659912705296n).',
  ],
  ['const a = 1;\nf({ id: [-9_007_199_254_740_993] });', 'The number 9007199254740993 at line 2, column 11'],
  ['return 123456789012345680000', 'JavaScript would change it to 123456789012345683968. Write'],
  ['return 0xFFFF_FFFF_FFFF_FFFF;', 'The number 0xFFFFFFFFFFFFFFFF at line 1, column 8'],
  [
    `return ${'7'.repeat(1_000_000)}`,
    '7… (1000000 characters) at line 1, column 8 is beyond 2^53, and JavaScript would change it to Infinity. Write its digits as text or as a BigInt.',
  ],
])('a literal that JavaScript would change is refused: %.40s', async (source, message) => {
  await expect(prepareTypescript(source)).rejects.toThrow(message);
});

test.each([
  'return [9007199254740992, 1e20, 1000000000000000000, 1917043659912705296n, 12345678901234567890.5]',
  'return ["1917043659912705296", /1917043659912705296/, `1917043659912705296`] // 1917043659912705296',
  'const { 1: a } = { 1: 0x1F_FFFF_FFFF_FFFF }; return a',
])('other numbers and texts are allowed: %s', async (source) => {
  await expect(prepareTypescript(source)).resolves.toBeDefined();
});

test('a module may have numbers as JavaScript prints them', async () => {
  await expect(
    prepareTypescriptModule('export const a = 18446744073709552000;', '/workspace/a.js'),
  ).resolves.toBeDefined();
  await expect(prepareTypescriptModule('export const a = 1917043659912705296;', '/workspace/a.js')).rejects.toThrow(
    'The number 1917043659912705296 at line 1, column 18 of /workspace/a.js',
  );
});
