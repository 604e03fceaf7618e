import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { purgeTasks } from './file-retention.ts';

test('deletes transcripts without recent changes, and no other files', async () => {
  const root = temporaryFolder();
  const id = (letter: string) => `${letter.repeat(8)}-0000-0000-0000-000000000000`;
  const old = [`${id('a')}.jsonl`, `${id('b')}.jsonl.damaged-20260101000000000`, `${id('a')}.jsonl.run2`, 'notes.txt'];
  const fresh = [`${id('c')}.jsonl`];
  for (const name of [...old, ...fresh]) writeFileSync(join(root, name), 'x');
  const then = new Date(Date.now() - 91 * 24 * 60 * 60 * 1_000);
  for (const name of old) utimesSync(join(root, name), then, then);
  const { signal } = new AbortController();
  expect(await purgeTasks({ root, retentionDays: 0, signal })).toBe(0);
  expect(await purgeTasks({ root, retentionDays: 90, signal })).toBe(3);
  expect(readdirSync(root).sort()).toEqual([...fresh, 'notes.txt'].sort());
  expect(await purgeTasks({ root: join(root, 'none'), retentionDays: 90, signal })).toBe(0);
});
