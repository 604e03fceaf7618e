import { queryText, send } from '../api/session.ts';

/** Returns the path of a file in the API. */
export function filePath(sessionId: string, path: string, userId: string): string {
  const place = path.split('/').map(encodeURIComponent).join('/');
  return `sessions/${encodeURIComponent(sessionId)}/files/${place}${queryText({ userId })}`;
}

/** Deletes a file of a workspace. */
export function removeFile(sessionId: string, path: string, userId: string): Promise<void> {
  return send('DELETE', filePath(sessionId, path, userId));
}
