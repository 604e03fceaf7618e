import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { journalKey } from '../../../../storage/src/data-folder/integrity.ts';
import { decisionText } from '../../journal/questions/decisions.ts';
import { fileExecutions } from './files.ts';
import { openState } from './old-files.ts';

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';

test('the decisions of a former version become rows once, and an interrupted move goes on', async () => {
  const dataDir = temporaryFolder();
  const folder = join(dataDir, 'decisions');
  const key = journalKey(dataFolder(dataDir).journalKey);
  const at = '2026-01-01T00:00:00.000Z';
  const text = (by: string) =>
    decisionText(key, { executionId: ID, number: 2, action: 'approve', binding: 'b', at, by });
  const write = (names: Readonly<Record<string, string>>) => {
    mkdirSync(folder);
    for (const [name, by] of Object.entries(names)) writeFileSync(join(folder, name), text(by));
    writeFileSync(join(folder, `${ID}.9.new`), '');
  };
  write({ [`${ID}.2`]: 'ann' });
  const use = async () => {
    await using database = openState(dataDir);
    await database.read('select 1');
  };
  await Promise.all([use(), use()]);
  // A process of the former version wrote meanwhile.
  write({ [`${ID}.2`]: 'bob', [`${ID}.2.3`]: 'eve' });
  await use();
  await use();
  await using storage = fileExecutions({ dataDir });
  const found = await Promise.all([1, 3, 4].map((question) => storage.decisions.find(ID, 2, question)));
  expect(found.map((decision) => decision?.by)).toEqual(['ann', 'eve', undefined]);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('decisions.imported-'))).toHaveLength(2);
  expect(readdirSync(dataDir)).not.toContain('decisions');
});
