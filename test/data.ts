import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Needing, needs } from './fixtures/needs.ts';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

/** Folder of the development data, which is not part of this repository. `TOOLWRIGHT_DATA` overrides the path. */
export const DATA_FOLDER: string = process.env.TOOLWRIGHT_DATA ?? resolve(REPOSITORY, '../shared/data');

/** For tests that need the development data. */
export const needsData: Needing = needs('data', existsSync(DATA_FOLDER) ? undefined : `no data at ${DATA_FOLDER}`);
