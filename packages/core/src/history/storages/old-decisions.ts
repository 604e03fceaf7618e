import { join } from 'node:path';
import { readRegularText } from '@toolwright/connectors/read-file';
import { dataFolder } from '../../stores/data-folder/data-folder.ts';
import { keepImported } from '../../stores/data-folder/imported-files.ts';
import { openSqlite } from '../../stores/sqlite/database.ts';
import { namesIn } from '../old-files.ts';
import { ADD_DECISION } from './decision-rows.ts';

const FOLDER = 'decisions';
/** The execution, the call, and the question if it is not the first one of its call. */
const NAME = /^([\da-f-]{36})\.(\d+)(?:\.(\d+))?$/;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Moves the decisions of a former version, a file each, to the tables of a data folder. A process that dies is continued by the next. Raises
 * `CONFIG_INVALID` and `STORE_UNAVAILABLE`.
 */
export async function importOldDecisions(dataDir: string): Promise<void> {
  const names = await namesIn(join(dataDir, FOLDER));
  if (names.length === 0) return;
  await using database = openSqlite(dataFolder(dataDir).state);
  for (const name of names) {
    const [, id, call = '', question = '1'] = NAME.exec(name) ?? [];
    // Another process may have moved the folder.
    const content = id && (await readRegularText(join(dataDir, FOLDER, name), MAX_BYTES).catch(() => undefined));
    if (content) await database.write(ADD_DECISION, [id, call, question, content, false], { isFlushed: true });
  }
  await keepImported(dataDir, FOLDER);
}
