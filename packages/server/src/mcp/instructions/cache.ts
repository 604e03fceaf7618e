import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readConfigText } from '@toolwright/core/config';
import { quarantine } from '@toolwright/core/internal';

/** Keeps a text between two starts of the server. Errors of reading and writing are ignored. */
export interface TextCache {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** Longer files are ignored. The server writes far shorter ones. */
const MAX_CHARACTERS = 64 * 1024;
const HASH_CHARACTERS = 64;

/** Creates the cache for the index of the tools of one configuration. A change of its text creates a new entry. */
export function indexCache(dataDir: string, configuration: string): TextCache {
  const name = createHash('sha256').update(configuration).digest('hex').slice(0, 32);
  const path = join(dataDir, 'indexes', `${name}.txt`);
  return {
    async read() {
      const content = await readFile(path, 'utf8').catch(() => undefined);
      if (content === undefined) return undefined;
      const text = content.slice(HASH_CHARACTERS + 1);
      if (text.length <= MAX_CHARACTERS && content === withHash(text)) return text;
      quarantine(path, 'index cache', 'its content does not match its hash');
      return undefined;
    },
    async write(text) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(`${path}.${process.pid}`, withHash(text), { mode: 0o600 });
        await rename(`${path}.${process.pid}`, path);
      } catch {
        // Without the cache, the next start waits for the servers to list their tools.
      }
    },
  };
}

/** Returns the cache for a configuration file, if any, and the profile of its clients. */
export async function fileIndexCache(dataDir: string, file: string | undefined, servers?: string): Promise<TextCache> {
  const configuration = file === undefined ? '' : `${file}\n${await readConfigText(file)}`;
  return indexCache(dataDir, JSON.stringify([configuration, servers]));
}

/** Returns the content of a file: the hash of the text, then the text. */
function withHash(text: string): string {
  return `${createHash('sha256').update(text).digest('hex')}\n${text}`;
}
