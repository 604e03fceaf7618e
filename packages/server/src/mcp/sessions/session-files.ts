import { isUtf8 } from 'node:buffer';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { fileType } from '@toolwright/core/internal';
import { redactedText } from '../redaction.ts';

const SCHEME = 'toolwright://sessions/';
const ROOT = '/workspace/';
/** The template of the files of sessions, as clients list it. */
export const SESSION_FILES = {
  uriTemplate: `${SCHEME}{sessionId}/{+path}`,
  name: 'session-files',
  title: 'Files of sessions',
};
/** The largest file, in bytes. Programs read larger ones. */
const MAX_BYTES = 16 * 1024 * 1024;
const NOT_FOUND: ReadonlySet<string> = new Set(['FILE_ERROR', 'UNKNOWN_SESSION']);

/** Returns the URI of a file in the workspace of a session. */
export function sessionFileUri(sessionId: string, path: string): string {
  const parts = path.slice(ROOT.length).split('/');
  return `${SCHEME}${encodeURIComponent(sessionId)}/${parts.map(encodeURIComponent).join('/')}`;
}

/** Returns a file as a resource: texts redacted, others as bytes. */
export async function fileContents(
  uri: string,
  bytes: Buffer,
  { pii, user, sessionId }: { pii: Toolwright['pii']; user: string; sessionId: string | undefined },
) {
  const mimeType = fileType(bytes, decodeURIComponent(uri));
  if (!isUtf8(bytes)) return { contents: [{ uri, mimeType, blob: bytes.toString('base64') }] };
  const text = await redactedText(async () => bytes.toString('utf8'), pii, user, sessionId);
  return { contents: [{ uri, mimeType, text }] };
}

/** Serves the files of the user's sessions: texts redacted, others as bytes. They are not listed: results link to them. */
export function registerSessionFiles(server: McpServer, open: () => Promise<Toolwright>, user: string): void {
  const template = new ResourceTemplate(SESSION_FILES.uriTemplate, { list: undefined });
  server.registerResource(SESSION_FILES.name, template, { title: SESSION_FILES.title }, async ({ href }) => {
    const { sessions, pii } = await open();
    try {
      const [sessionId = '', ...parts] = href.slice(SCHEME.length).split('/').map(decodeURIComponent);
      const files = await sessions.files(sessionId, { userId: user });
      const bytes = await files.read(`${ROOT}${parts.join('/')}`, MAX_BYTES);
      return await fileContents(href, bytes, { pii, user, sessionId });
    } catch (error) {
      const isMissing = error instanceof URIError || (error instanceof ToolwrightError && NOT_FOUND.has(error.code));
      throw isMissing ? new ResourceNotFoundError(href) : error;
    }
  });
}
