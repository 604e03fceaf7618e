import { pathText, queryText, send } from '../api/session.ts';

/** Returns the path of a file in the API. */
export function filePath(sessionId: string, path: string, userId: string): string {
  return `sessions/${encodeURIComponent(sessionId)}/files/${pathText(path)}${queryText({ userId })}`;
}

/** Deletes a file of a workspace. */
export function removeFile(sessionId: string, path: string, userId: string): Promise<void> {
  return send('DELETE', filePath(sessionId, path, userId));
}
