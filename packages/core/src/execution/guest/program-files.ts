import { isUtf8 } from 'node:buffer';
import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import type { Files } from '../../workspaces/files.ts';

/** Files about tools, whose descriptions an upstream server wrote. */
const SERVER_FILE = /^\/*servers\//;

/** Returns files that contain placeholders, and show a program the values that it may see. */
export function programFiles(files: Files, values: ProgramValues, redactor: Redactor): Files {
  return {
    ...files,
    async read(path, maxBytes) {
      const content = await files.read(path, maxBytes);
      if (SERVER_FILE.test(path)) return Buffer.from(await redactor.redact(content.toString()));
      return revealed(content, values);
    },
    write: async (path, content, mode) => files.write(path, await concealed(content, values), mode),
    bulk: files.bulk && {
      ...files.bulk,
      async readAll(paths, maxBytes) {
        const contents = (await files.bulk?.readAll(paths, maxBytes)) ?? [];
        return Promise.all(contents.map((content) => content && revealed(content, values)));
      },
      async writeAll(written) {
        const stored = written.map(async ({ path, data }) => ({ path, data: await concealed(data, values) }));
        return files.bulk?.writeAll(await Promise.all(stored)) ?? [];
      },
    },
  };
}

/** Returns the content to store for a content of the program. */
async function concealed(content: Buffer, values: ProgramValues): Promise<Buffer> {
  if (!isUtf8(content)) return content;
  const text = content.toString();
  const stored = await values.conceal(text);
  return stored === text ? content : Buffer.from(stored);
}

/** Returns the content that a program receives for a stored content. */
async function revealed(content: Buffer, values: ProgramValues): Promise<Buffer> {
  if (!content.includes('[') || !isUtf8(content)) return content;
  const text = content.toString();
  const shown = await values.reveal(text, true);
  return shown === text ? content : Buffer.from(shown);
}
