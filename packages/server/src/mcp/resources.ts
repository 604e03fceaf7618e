import { type McpServer, type Resource, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { redactedText } from './redaction.ts';

const SCHEME = 'toolwright://servers';
const TITLE = 'Modules and types of servers';
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
  server.registerResource('servers', SCHEME, { title: 'Servers', mimeType: 'text/plain' }, read);
  const template = new ResourceTemplate(`${SCHEME}/{+path}`, { list: undefined });
  server.registerResource('server-files', template, { title: TITLE }, read);
}

/** Returns the resources of {@link registerServerFiles}: the folder, and the types of each server in both languages. */
export async function serverFileList(open: () => Promise<Toolwright>): Promise<Resource[]> {
  const servers = await (await open()).servers();
  const files = servers.flatMap(({ name, slug, pythonModule }): Resource[] => [
    { uri: `${SCHEME}/${slug}/index.d.ts`, name: `${name} in TypeScript`, title: TITLE, mimeType: 'text/typescript' },
    { uri: `${SCHEME}/${pythonModule}.pyi`, name: `${name} in Python`, title: TITLE, mimeType: 'text/x-python' },
  ]);
  return [{ uri: SCHEME, name: 'servers', title: 'Servers', mimeType: 'text/plain' }, ...files];
}
