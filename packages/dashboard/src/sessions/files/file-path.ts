import { pathText, queryText, send } from '../../api/session.ts';

/** Bytes of the largest file that the API reads or writes. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Returns the path of a file in the API. */
export function filePath(sessionId: string, path: string, userId: string): string {
  return `sessions/${encodeURIComponent(sessionId)}/files/${pathText(path)}${queryText({ userId })}`;
}

/** Deletes a file, or a folder with its contents. */
export function removeFile(sessionId: string, path: string, userId: string): Promise<void> {
  return send('DELETE', filePath(sessionId, path, userId));
}
