import { homedir } from 'node:os';
import { Uri, window, workspace } from 'vscode';
import type { Connection } from './connection.ts';
import { readBody } from './read-body.ts';

const MAX_DOWNLOAD_BYTES = 256_000_000;
const MAX_NAME_LENGTH = 120;

/** Asks the person for a place, and writes a file there. Does nothing when the person cancels. */
export async function saveFile(name: string, read: () => Promise<Uint8Array>): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri ?? Uri.file(homedir());
  const place = await window.showSaveDialog({ defaultUri: Uri.joinPath(folder, fileName(name)) });
  if (place) await workspace.fs.writeFile(place, await read());
}

/** Reads a file of the server. Raises an error for another status than success. */
export async function download(connection: Connection, path: string): Promise<Uint8Array> {
  const response = await connection.send(path);
  const bytes = await readBody(response, MAX_DOWNLOAD_BYTES);
  if (response.ok) return new Uint8Array(bytes);
  throw new Error(`The file was not saved: the server answered ${response.status}.`);
}

/** Returns a name without folders, control characters, and characters that change the direction of text. */
export function fileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const shown = last.replaceAll(/[\p{C}<>:"|?*]/gu, '_').replace(/^\.+/, '');
  return shown.slice(-MAX_NAME_LENGTH) || 'file';
}
