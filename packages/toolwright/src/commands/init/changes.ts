import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readServerEntries, withMember, withServer } from '@toolwright/core/config';
import { type ClientFile, type Merged, merge } from '../servers/find.ts';

/** The server of the first write. */
const NOTES_SERVER = fileURLToPath(new URL('../../notes-server.js', import.meta.url));
const NAMES = ['notes', 'example-notes'];

/** A configuration for the first minutes. */
export interface FirstConfiguration extends Merged {
  /** The name of the server with the first write. */
  readonly notes: string;
  /** Absolute path of the file that it writes. */
  readonly notesFile: string;
}

/**
 * Adds the servers of clients and the server of the first write to the text of a configuration. A new one gets a policy that asks
 * before tools that write; an existing one keeps its policy.
 */
export function firstConfiguration(
  { file, folder }: { readonly file: string; readonly folder: string },
  text: string,
  files: readonly ClientFile[],
): FirstConfiguration {
  const merged = merge(file, text, files);
  const entries = readServerEntries(file, merged.text.trim() === '' ? '{}' : merged.text);
  const entry = { command: process.execPath, args: [NOTES_SERVER], description: 'Notes in notes.md: try a write' };
  const known = NAMES.find((name) => JSON.stringify(entries.get(name))?.includes('notes-server.js'));
  const notes = known ?? NAMES.find((name) => !entries.has(name)) ?? 'toolwright-notes';
  const complete = known === undefined ? withServer(file, merged.text, notes, entry) : merged.text;
  const isNew = text.trim() === '';
  return {
    ...merged,
    text: isNew ? withMember(complete, ['policy', 'preset'], 'careful') : complete,
    notes,
    notesFile: join(folder, 'notes.md'),
  };
}
