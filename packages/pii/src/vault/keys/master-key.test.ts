import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { keyringOf, loadKeyring } from './master-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'key-'));
const HEX = '0123456789abcdef'.repeat(4);
const BASE64 = Buffer.from(HEX, 'hex').toString('base64');
const ids = ({ byId }: ReturnType<typeof loadKeyring>) => [...byId.keys()];

test('a key is 32 bytes in hex or base64, and has one id in both', () => {
  const file = join(folder, 'unused');
  const keyrings = [HEX, BASE64, BASE64.replaceAll('=', ''), `${HEX.toUpperCase()}\n`].map((TOOLWRIGHT_MASTER_KEY) =>
    loadKeyring({ env: { TOOLWRIGHT_MASTER_KEY }, file }),
  );
  expect(new Set(keyrings.flatMap(ids)).size).toBe(1);
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
});

test('all keys unwrap, and the current one wraps', () => {
  const env = { TOOLWRIGHT_MASTER_KEY: HEX, TOOLWRIGHT_OLD_MASTER_KEYS: `${'ab'.repeat(32)}, ${'cd'.repeat(32)}` };
  const keyring = loadKeyring({ env, file: join(folder, 'unused') });
  expect([ids(keyring).length, keyring.current.id.toString('hex')]).toEqual([3, ids(keyring)[0]]);
});

it.each([
  ['abcd', 'must be 32 bytes in base64 or hex, and is 3 bytes'],
  [HEX.slice(2), 'must be 32 bytes in base64 or hex, and is 46 bytes'],
  [`${BASE64}AAAA`, 'must be 32 bytes in base64 or hex, and is'],
  ['not a key!', 'must be 32 bytes in base64 or hex, and is in neither form'],
])('the key %j is refused, and is not in the error', (TOOLWRIGHT_MASTER_KEY, message) => {
  const load = () => loadKeyring({ env: { TOOLWRIGHT_MASTER_KEY }, file: join(folder, 'unused') });
  expect(load).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }));
  expect(load).not.toThrow(TOOLWRIGHT_MASTER_KEY);
});

test('without a key in the environment, a key file is created for this user only, and kept', () => {
  const file = join(folder, 'data/master.key');
  const [first, second] = [loadKeyring({ env: {}, file }), loadKeyring({ env: { TOOLWRIGHT_MASTER_KEY: '' }, file })];
  expect(ids(first)).toEqual(ids(second));
  expect([(statSync(file).mode & 0o777).toString(8), readdirSync(join(folder, 'data'))]).toEqual([
    '600',
    ['master.key'],
  ]);
});

test('a new key goes into the first line of the file, and the older keys below still open vaults', () => {
  const file = join(folder, 'rotated.key');
  const [old] = ids(loadKeyring({ env: {}, file }));
  writeFileSync(file, `${BASE64}\n${readFileSync(file, 'utf8')}`);
  expect(ids(loadKeyring({ env: {}, file }))).toEqual([...ids(keyringOf([HEX], 'x')), old]);
});

test('a file that is readable by others, or has no key, is refused', () => {
  const file = join(folder, 'open.key');
  writeFileSync(file, '\n', { mode: 0o600 });
  expect(() => loadKeyring({ env: {}, file })).toThrow(`The key file ${file} has no key.`);
  chmodSync(file, 0o640);
  expect(() => loadKeyring({ env: {}, file })).toThrow(
    `is readable by other users (mode 0640). Run: chmod 600 ${file}`,
  );
});

test('old keys without a current one are an error', () => {
  const env = { TOOLWRIGHT_OLD_MASTER_KEYS: HEX };
  expect(() => loadKeyring({ env, file: join(folder, 'unused') })).toThrow('TOOLWRIGHT_MASTER_KEY is not. Set both.');
});

test.runIf(process.platform === 'linux')('a key file whose folder cannot be created is refused at once', () => {
  expect(() => loadKeyring({ env: {}, file: '/proc/x/y/master.key' })).toThrow(
    'The key file /proc/x/y/master.key cannot be created: its folder /proc/x cannot (ENOENT).',
  );
});
