import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createToolwright } from '../../../core/src/toolwright.ts';
import { checkJournalKey, codeOf, createChain, journalKey } from './integrity.ts';

const key = randomBytes(32);
const HEAD = '{"entry":"answer","at":"2026-01-01T00:00:00.000Z"';
const long = JSON.stringify('lönger text 😀 \ud83d'.repeat(10_000));

test('a code depends on all texts and their borders, however long they are', () => {
  const expected = (...texts: string[]) =>
    createHash('sha256')
      .update(key.toString('base64') + texts.map((text) => `${text.length}:${text}`).join(''))
      .digest('base64url')
      .slice(0, 20);
  for (const texts of [['a', 'b'], [long], ['a', long, 'b'], [long, long]])
    expect(codeOf(key, ...texts)).toBe(expected(...texts));
});

test('a long line has the same bytes and the same code as a short one', () => {
  const chains = [createChain(key, 'id'), createChain(key, 'id'), createChain(key, 'id')] as const;
  const [whole, pieces, reader] = chains;
  for (const number of [1, 2]) {
    const rest = [`,"number":${number}`, ',"result":', long, '}'];
    const line = `${whole.seal(HEAD, rest.join(''))}\n`;
    expect(pieces.sealLong(HEAD, rest).toString()).toBe(line);
    expect(pieces.last()).toBe(whole.last());
    expect(reader.accepts(line.slice(0, -1))).toBe(true);
  }
});

test.each([0, 7, 33])(
  'a key of journals with %i bytes is damaged: the message names the file and the fix',
  async (bytes) => {
    const dataDir = temporaryFolder();
    const path = join(dataDir, 'journal.key');
    writeFileSync(path, Buffer.alloc(bytes), { mode: 0o600 });
    for (const use of [() => journalKey(path), () => checkJournalKey(dataDir), () => createToolwright({ dataDir })]) {
      const failure = await failureOf((async () => void (await use()))());
      expect([failure.code, failure.message]).toEqual([
        'CONFIG_INVALID',
        expect.stringContaining(`${path} is damaged: it has ${bytes} bytes, and a key of journals has 32. Restore it`),
      ]);
    }
    expect(readFileSync(path)).toHaveLength(bytes);
  },
);

test('a check of the key creates none', () => {
  const dataDir = temporaryFolder();
  checkJournalKey(dataDir);
  expect(readdirSync(dataDir)).toEqual([]);
});
