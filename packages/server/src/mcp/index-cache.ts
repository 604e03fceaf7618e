import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Keeps a text from one start to the next. What cannot be read or written is as if it was not kept. */
export interface TextCache {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** Characters that are read; what we write is far shorter. */
const MAX_CHARACTERS = 64 * 1024;

/** Keeps the index of the tools of one configuration: another text of it is another configuration. */
export function indexCache(dataDir: string, configuration: string): TextCache {
  const name = createHash('sha256').update(configuration).digest('hex').slice(0, 32);
  const path = join(dataDir, 'indexes', `${name}.txt`);
  return {
    read: () =>
      readFile(path, 'utf8').then(
        (text) => (text.length > 0 && text.length <= MAX_CHARACTERS ? text : undefined),
        () => undefined,
      ),
    async write(text) {
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(`${path}.${process.pid}`, text, { mode: 0o600 });
        await rename(`${path}.${process.pid}`, path);
      } catch {
        // The next start waits for the upstreams instead.
      }
    },
  };
}
