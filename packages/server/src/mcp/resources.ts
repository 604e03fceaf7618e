import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { redactedText } from './redaction.ts';

const SCHEME = 'toolwright://servers';
/** The largest generated file, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  ts: 'text/typescript',
  py: 'text/x-python',
  pyi: 'text/x-python',
};
const NOT_FOUND: ReadonlySet<string> = new Set(['FILE_ERROR', 'UNKNOWN_SERVER']);

/** Registers the generated modules under `/servers` as resources, as one user sees them. A folder is a list of names. */
export function registerServerFiles(server: McpServer, open: () => Promise<Toolwright>, user: string): void {
  const read = async (uri: URL) => {
    const path = `/servers${decodeURIComponent(uri.pathname)}`.replace(/\/+$/, '');
    const toolwright = await open();
    const files = toolwright.serverFiles('typescript', user);
    try {
      let mimeType = 'text/plain';
      const readText = async () => {
        const { kind } = await files.stat(path);
        if (kind === 'directory') return (await files.list(path, false)).map((entry) => entry.name).join('\n');
        mimeType = TYPES[path.split('.').at(-1) ?? ''] ?? mimeType;
        return (await files.read(path, MAX_BYTES)).toString('utf8');
      };
      const text = await redactedText(readText, toolwright.pii, user);
      return { contents: [{ uri: uri.href, mimeType, text }] };
    } catch (error) {
      if (error instanceof ToolwrightError && NOT_FOUND.has(error.code)) throw new ResourceNotFoundError(uri.href);
      throw error;
    }
  };
  const list = async () => {
    const servers = await (await open()).servers();
    const resources = servers.flatMap(({ name, slug, pythonModule }) => [
      { uri: `${SCHEME}/${slug}/index.d.ts`, name: `${name} in TypeScript`, mimeType: TYPES.ts },
      { uri: `${SCHEME}/${pythonModule}.pyi`, name: `${name} in Python`, mimeType: TYPES.pyi },
    ]);
    return { resources };
  };
  server.registerResource('servers', SCHEME, { title: 'Servers', mimeType: 'text/plain' }, read);
  const template = new ResourceTemplate(`${SCHEME}/{+path}`, { list });
  server.registerResource('server-files', template, { title: 'Modules and types of servers' }, read);
}
