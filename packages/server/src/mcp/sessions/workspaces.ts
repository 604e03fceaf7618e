import { dirname } from 'node:path/posix';
import { ToolwrightError } from '@toolwright/core';
import type { ToolResponse } from '../../agent/loop/tool-response.ts';
import type { Caller } from '../call.ts';
import { openSession } from './sessions.ts';

/** The largest file, in bytes, that the tool writes. Programs write larger files. */
export const MAX_FILE_BYTES: number = 4 * 1024 * 1024;
/** The largest file, in bytes, that the tool reads: the content costs a model tokens. */
export const MAX_READ_BYTES: number = 256 * 1024;
/** The most files in a listing. */
const MAX_LISTED = 500;
const ROOT = '/workspace';
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Place {
  readonly sessionId: string;
  /** A guest path; relative paths start in `/workspace`. */
  readonly path: string;
}

/** Writes a file of a session and creates its folders. */
export async function writeWorkspaceFile(
  {
    sessionId,
    path,
    content,
    encoding = 'utf8',
  }: Place & { readonly content: string; readonly encoding?: 'utf8' | 'base64' },
  caller: Caller,
): Promise<ToolResponse> {
  if (encoding === 'base64' && !BASE64.test(content)) {
    throw new ToolwrightError('INVALID_ARGUMENTS', '"content" is not base64. For plain text, send "encoding": "utf8".');
  }
  const data = Buffer.from(content, encoding);
  if (data.length > MAX_FILE_BYTES) {
    const message = `The file has ${data.length} bytes, the limit is ${MAX_FILE_BYTES}. Write it in a program, or in parts.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const id = await openSession(sessionId, caller);
  const files = await caller.toolwright.sessions.files(id, { userId: caller.user });
  const place = inWorkspace(path);
  await files.makeFolder(dirname(place), true);
  await files.write(place, data, 'replace');
  const details = { path: place, bytes: data.length, sessionId: id, session: id };
  return { text: `${place}, ${data.length} bytes\nsessionId: ${id}`, structured: details };
}

/** Reads a file of a session: as text when it is UTF-8, else as base64. */
export async function readWorkspaceFile({ sessionId, path }: Place, caller: Caller): Promise<ToolResponse> {
  const files = await caller.toolwright.sessions.files(sessionId, { userId: caller.user });
  const data = await files.read(inWorkspace(path), MAX_READ_BYTES).catch((error: unknown) => {
    throw withSessionHint(error);
  });
  try {
    const content = UTF8.decode(data);
    return { text: content, structured: { content } };
  } catch {
    const content = data.toString('base64');
    return { text: content, structured: { content, encoding: 'base64' } };
  }
}

/** Lists the files of a session, or of one of its folders. */
export async function listWorkspaceFiles(
  { sessionId, path = ROOT }: { readonly sessionId: string; readonly path?: string },
  caller: Caller,
): Promise<ToolResponse> {
  const files = await caller.toolwright.sessions.files(sessionId, { userId: caller.user });
  const entries = (await files.list(inWorkspace(path), true)).filter(({ kind }) => kind === 'file');
  const lines = entries
    .slice(0, MAX_LISTED)
    .map(({ name, size, mtimeMs }) => `${name}  ${size}  ${new Date(mtimeMs).toISOString().slice(0, 19)}Z`);
  if (entries.length > MAX_LISTED) lines.push(`… ${entries.length - MAX_LISTED} more; pass "path" to list one folder`);
  return { text: lines.length > 0 ? lines.join('\n') : 'No files.', structured: { files: lines } };
}

/** Returns the error of a missing file with the cause that models meet: another session has the file. */
function withSessionHint(error: unknown): unknown {
  if (!(error instanceof ToolwrightError) || error.details.errno !== 'ENOENT') return error;
  const hint = 'Each session has its own files: pass the "sessionId" of the answer whose program wrote the file.';
  return new ToolwrightError(error.code, `${error.message} ${hint}`, { cause: error, details: error.details });
}

function inWorkspace(path: string): string {
  return path.startsWith('/') ? path : `${ROOT}/${path}`;
}
