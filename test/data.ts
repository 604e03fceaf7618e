import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

/** Folder of the development data, which is not part of this repository. `TOOLWRIGHT_DATA` overrides the place. */
export const DATA_FOLDER: string = process.env.TOOLWRIGHT_DATA ?? resolve(REPOSITORY, '../shared/data');

/** Why a test that needs the development data is skipped; undefined when the data is there. */
export const DATA_MISSING: string | undefined = existsSync(DATA_FOLDER) ? undefined : `no data at ${DATA_FOLDER}`;
