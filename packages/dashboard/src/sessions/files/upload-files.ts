import { request } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { bytes } from '../../text/format.ts';
import type { LocalFile } from './dropped.ts';
import { filePath, MAX_FILE_BYTES } from './file-path.ts';

export interface UploadOptions {
  readonly sessionId: string;
  readonly userId: string;
  readonly signal: AbortSignal;
  /** Called before each file. */
  readonly onFile: (done: number, path: string) => void;
}

/** The end of an upload. */
export interface Uploaded {
  readonly number: number;
  /** A text per file that was not uploaded. */
  readonly failures: readonly string[];
}

/** Uploads files, one after another. A file that fails does not stop the next ones; the signal does. */
export async function uploadFiles(
  files: readonly LocalFile[],
  { sessionId, userId, signal, onFile }: UploadOptions,
): Promise<Uploaded> {
  const failures: string[] = [];
  let number = 0;
  for (const [index, { path, file }] of files.entries()) {
    if (signal.aborted) break;
    onFile(index, path);
    try {
      // The server ends the connection of a larger body, which looks like a lost one.
      if (file.size > MAX_FILE_BYTES) throw tooLarge(file.size);
      const headers = { 'content-type': 'application/octet-stream' };
      await request(filePath(sessionId, path, userId), { method: 'PUT', body: file, headers, signal });
      number++;
    } catch (error) {
      const { code, message } = Problem.from(error);
      if (!signal.aborted) failures.push(`${path}: ${code}: ${message}`);
    }
  }
  return { number, failures };
}

function tooLarge(size: number): Problem {
  return new Problem(413, 'TOO_LARGE', `${bytes(size)} are over the limit of ${bytes(MAX_FILE_BYTES)} per file.`);
}
