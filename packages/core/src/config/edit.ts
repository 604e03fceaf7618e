import { realpath, stat } from 'node:fs/promises';
import { isObject } from '@toolwright/connectors/internal';
import { readRegularFile, textOf, type UnreadableFile } from '@toolwright/connectors/read-file';
import { messageOf, ToolwrightError } from '../errors.ts';
import { replaceFile } from '../workspaces/changes/atomic-write.ts';
import { withMember, withoutMember } from './json-edit.ts';
import { parseConfigText } from './text.ts';

/** The names of the object with the servers, in the order of reading. */
const GROUPS = ['mcpServers', 'servers'] as const;
const EMPTY = '{\n  "mcpServers": {}\n}\n';
/** A file that may have secrets is for its owner only. */
const OWNER_ONLY = 0o600;
/** Maximum bytes of an edited file: a client keeps its history in its configuration too. */
const MAX_EDITED_BYTES = 64 * 1024 * 1024;
const MARK = '\uFEFF';

/** Returns the entries of all servers in the text of a configuration, unchanged. Raises `CONFIG_INVALID`. */
export function readServerEntries(file: string, text: string): ReadonlyMap<string, unknown> {
  const root = parseConfigText(file, text.replace(MARK, ''));
  return new Map(GROUPS.flatMap((group) => (isObject(root[group]) ? Object.entries(root[group]) : [])));
}

/**
 * Adds a server to the text of a configuration, and keeps comments and format. An empty text becomes a new configuration.
 * Raises `CONFIG_INVALID` for a taken name.
 */
export function withServer(file: string, text: string, name: string, entry: object): string {
  const old = text.trim() === '' ? EMPTY : text;
  if (readServerEntries(file, old).has(name)) {
    const message = `${file} has a server "${name}" already. Remove it first, or choose another name.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const root = parseConfigText(file, old.replace(MARK, ''));
  const group = GROUPS.find((each) => isObject(root[each])) ?? GROUPS[0];
  return withMember(old, [group, name], entry);
}

/** Puts another entry in place of that of a server, and keeps comments and format elsewhere. Raises `CONFIG_INVALID` without it. */
export function withChangedServer(file: string, text: string, name: string, entry: object): string {
  const group = groupOf(parseConfigText(file, text.replace(MARK, '')), name);
  if (group !== undefined) return withMember(text, [group, name], entry);
  throw new ToolwrightError('CONFIG_INVALID', `${file} has no server "${name}". Add it instead.`);
}

/** Removes a server from the text of a configuration, and keeps comments and format. Returns undefined without the server. */
export function withoutServer(file: string, text: string, name: string): string | undefined {
  const root = parseConfigText(file, text.replace(MARK, ''));
  const group = groupOf(root, name);
  return group === undefined ? undefined : withoutMember(text, [group, name]);
}

/**
 * Changes a text file atomically, and keeps its mode. A missing file is empty, and is created for its owner only. Raises
 * `CONFIG_INVALID`.
 */
export async function editFile(path: string, edit: (text: string) => string): Promise<void> {
  // Personal configurations are often links into a folder of dot files: the link must stay.
  const file = await realpath(path).catch(() => path);
  const failed = (cause: unknown): never => {
    throw new ToolwrightError('CONFIG_INVALID', `${file} cannot be changed: ${messageOf(cause)}.`, { cause });
  };
  const [text, mode] = await Promise.all([readText(file), modeOf(file)]).catch(failed);
  // Its errors have the words for a person already.
  const edited = edit(text);
  if (edited === text) return;
  await replaceFile(file, `${file}.${process.pid}.new`, Buffer.from(edited), { mode, durable: true }).catch(failed);
}

async function readText(file: string): Promise<string> {
  return readRegularFile(file, MAX_EDITED_BYTES).then(textOf, (error: UnreadableFile) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

async function modeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mode }) => mode & 0o777,
    () => OWNER_ONLY,
  );
}

function groupOf(root: Readonly<Record<string, unknown>>, name: string) {
  return GROUPS.find((each) => isObject(root[each]) && Object.hasOwn(root[each], name));
}
