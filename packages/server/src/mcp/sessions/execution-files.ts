import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { fileContents } from './session-files.ts';

const SCHEME = 'toolwright://executions/';
const ROOT = '/workspace/';
/** The template of the files that executions without a session show. */
export const EXECUTION_FILES = {
  uriTemplate: `${SCHEME}{executionId}/{+path}`,
  name: 'execution-files',
  title: 'Files of executions',
};

/** Returns the URI of a file that an execution shows. */
export function executionFileUri(executionId: string, path: string): string {
  const parts = path.slice(ROOT.length).split('/');
  return `${SCHEME}${executionId}/${parts.map(encodeURIComponent).join('/')}`;
}

/** Serves the files that the executions of the user show. They are not listed: results link to them. */
export function registerExecutionFiles(server: McpServer, open: () => Promise<Toolwright>, user: string): void {
  const template = new ResourceTemplate(EXECUTION_FILES.uriTemplate, { list: undefined });
  server.registerResource(EXECUTION_FILES.name, template, { title: EXECUTION_FILES.title }, async ({ href }) => {
    const { executions, pii } = await open();
    try {
      const [executionId = '', ...parts] = href.slice(SCHEME.length).split('/').map(decodeURIComponent);
      const bytes = await executions.file(executionId, `${ROOT}${parts.join('/')}`, user);
      if (!bytes) throw new ResourceNotFoundError(href);
      const { sessionId } = await executions.get(executionId, user);
      return await fileContents(href, bytes, { pii, user, sessionId });
    } catch (error) {
      const isMissing =
        error instanceof URIError || (error instanceof ToolwrightError && error.code === 'UNKNOWN_EXECUTION');
      throw isMissing ? new ResourceNotFoundError(href) : error;
    }
  });
}
