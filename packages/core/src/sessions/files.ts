import { basename } from 'node:path/posix';
import type { FileEntry, Files } from '../workspaces/files.ts';
import { fileEntry, folderEntry, readOnly } from '../workspaces/mounts.ts';
import { fileError, guestPath, parseGuestPath } from '../workspaces/paths.ts';
import type { SessionEntry } from './log.ts';
import { sessionText } from './text.ts';

/**
 * Returns `/session` as files that are generated when they are read: `log.md`, the newest executions for a reader, and
 * `log.jsonl`, one {@link SessionEntry} per line.
 */
export function sessionFiles(id: string, readEntries: () => Promise<readonly SessionEntry[]>): Files {
  const contents: Readonly<Record<string, (entries: readonly SessionEntry[]) => string>> = {
    'log.jsonl': (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    'log.md': (entries) => sessionText(id, entries),
  };
  const generate = async (path: string): Promise<{ data: Buffer; mtimeMs: number }> => {
    const parts = parseGuestPath(path);
    const [, name = ''] = parts;
    if (parts.length === 1) throw fileError('EISDIR', `${guestPath(parts)} is a folder.`);
    const content = parts.length === 2 && Object.hasOwn(contents, name) ? contents[name] : undefined;
    if (!content) throw fileError('ENOENT', `${guestPath(parts)} does not exist. /session has log.md and log.jsonl.`);
    const entries = await readEntries();
    return { data: Buffer.from(content(entries)), mtimeMs: Date.parse(entries.at(-1)?.at ?? '') || 0 };
  };
  const stat = async (path: string): Promise<FileEntry> => {
    if (parseGuestPath(path).length === 1) return folderEntry('session');
    const { data, mtimeMs } = await generate(path);
    return { ...fileEntry(basename(path), data.length), mtimeMs };
  };
  return readOnly(
    {
      async read(path, maxBytes) {
        const { data } = await generate(path);
        if (data.length <= maxBytes) return data;
        throw fileError('EFBIG', `${path} has ${data.length} bytes; the limit is ${maxBytes}.`);
      },
      async list(path) {
        if (parseGuestPath(path).length > 1) {
          await generate(path);
          throw fileError('ENOTDIR', `${path} is not a folder.`);
        }
        return Promise.all(Object.keys(contents).map((name) => stat(`/session/${name}`)));
      },
      stat,
    },
    'Toolwright writes the log of a session.',
  );
}
