import { dirname } from 'node:path/posix';
import { ToolwrightError } from '@toolwright/core';
import type { ToolResponse } from '../agent/tool-response.ts';
import type { Caller } from './call.ts';
import { sessionId } from './sessions.ts';

/** Bytes of a file that is written or read through a tool; larger ones are for programs. */
export const MAX_FILE_BYTES: number = 4 * 1024 * 1024;
/** Bytes of a file that is read: what comes back is read by a model. */
export const MAX_READ_BYTES: number = 256 * 1024;
/** Files that a listing names. */
const MAX_LISTED = 500;
const ROOT = '/workspace';
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Place {
  readonly session: string;
  /** A guest path; relative ones start in `/workspace`. */
  readonly path: string;
}

/** Writes a file of a session; its folders are made. */
export async function writeWorkspaceFile(
  {
    session,
    path,
    content,
    encoding = 'utf8',
  }: Place & { readonly content: string; readonly encoding?: 'utf8' | 'base64' },
  caller: Caller,
): Promise<ToolResponse> {
  if (encoding === 'base64' && !BASE64.test(content)) {
    throw new ToolwrightError('INVALID_ARGUMENTS', 'content is no base64. Send text as it is, with the encoding utf8.');
  }
  const data = Buffer.from(content, encoding);
  if (data.length > MAX_FILE_BYTES) {
    const message = `The file has ${data.length} bytes, at most ${MAX_FILE_BYTES} can be written at once. Write it in a program, or in parts.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const id = await sessionId(session, caller);
  const files = await caller.toolwright.sessions.files(id, { userId: caller.user });
  const place = inWorkspace(path);
  await files.makeFolder(dirname(place), true);
  await files.write(place, data, 'replace');
  const details = { path: place, bytes: data.length, session: id };
  return { text: `${place}, ${data.length} bytes\nsession: ${id}`, structured: details };
}

/** Reads a file of a session, as text where it is one. */
export async function readWorkspaceFile({ session, path }: Place, caller: Caller): Promise<ToolResponse> {
  const files = await caller.toolwright.sessions.files(session, { userId: caller.user });
  const data = await files.read(inWorkspace(path), MAX_READ_BYTES);
  try {
    const content = UTF8.decode(data);
    return { text: content, structured: { content } };
  } catch {
    const content = data.toString('base64');
    return { text: content, structured: { content, encoding: 'base64' } };
  }
}

/** Lists the files of a session, below a folder where one is named. */
export async function listWorkspaceFiles(
  { session, path = ROOT }: { readonly session: string; readonly path?: string },
  caller: Caller,
): Promise<ToolResponse> {
  const files = await caller.toolwright.sessions.files(session, { userId: caller.user });
  const entries = (await files.list(inWorkspace(path), true)).filter(({ kind }) => kind === 'file');
  const lines = entries
    .slice(0, MAX_LISTED)
    .map(({ name, size, mtimeMs }) => `${name}  ${size}  ${new Date(mtimeMs).toISOString().slice(0, 19)}Z`);
  if (entries.length > MAX_LISTED) lines.push(`… ${entries.length - MAX_LISTED} more; name a folder`);
  return { text: lines.length > 0 ? lines.join('\n') : 'No files.', structured: { files: lines } };
}

function inWorkspace(path: string): string {
  return path.startsWith('/') ? path : `${ROOT}/${path}`;
}
