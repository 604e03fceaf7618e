import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { connectClient, startHttp, textOf } from '../fixtures/mcp-clients.ts';
import { startFakeN8n } from '../fixtures/n8n-server.ts';
import { fixture } from '../fixtures/server.ts';

/** The library, the HTTP API, an MCP client and the command line, on the same servers. */
export interface Machine {
  /** A folder with the configuration of the commands, and data in `files`. */
  readonly desk: Desk;
  toolwright(): Promise<Toolwright>;
  /** Runs a program, and returns its value. Rejects with the error of the program. */
  run(
    code: string,
    options?: { readonly language?: 'typescript' | 'python'; readonly userId?: string },
  ): Promise<unknown>;
  /** Calls a tool of the MCP server, in one connection. Returns the text that a model reads. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Starts `toolwright serve` once, with a model that follows a script. Returns its URL. */
  api(): Promise<string>;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** Opens the parts of a machine when a row needs them. */
export async function openMachine(): Promise<Machine> {
  const desk = openDesk();
  const n8n = await startFakeN8n();
  const files = join(desk.folder, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'hello.txt'), 'hello');
  const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  const mcpServers = {
    database: fixture('database'),
    security: fixture('security'),
    files: { command: process.execPath, args: [filesystem, files], cwd: files },
  };
  const settings = {
    ...{ url: n8n.url, apiKey: n8n.key, catalog: 'example' },
    policy: { write: true, allow: ['activate', 'execute', 'delete'] as const },
  };
  desk.write('toolwright.json', { mcpServers, n8n: settings, pii: { restoreTool: true } });
  desk.write('steps.json', [{ code: 'return 6 * 7' }, { text: 'The answer is {{result}}.' }]);
  const opened: (() => Promise<unknown>)[] = [async () => n8n[Symbol.asyncDispose]()];
  const once = <T>(open: () => Promise<T>) => {
    let value: Promise<T> | undefined;
    return () => (value ??= open());
  };
  const toolwright = once(async () => {
    const made = await createToolwright({
      mcpServers,
      plugins: [n8nPlugin(settings)],
      dataDir: join(desk.folder, 'library'),
    });
    opened.push(() => made.close());
    return made;
  });
  const client = once(async (): Promise<Client> => {
    const connected = await connectClient(desk, { transport: 'stdio', era: 'legacy' });
    opened.push(() => connected.close());
    return connected.client;
  });
  return {
    desk,
    toolwright,
    async run(code, { language = 'typescript', userId = `user-${randomUUID()}` } = {}) {
      const result = await (await toolwright()).execute(code, { language, userId });
      if (result.status === 'completed') return result.value;
      throw new Error(result.status === 'failed' ? `${result.error.code}: ${result.error.message}` : result.status);
    },
    async call(name, args = {}) {
      // The last lines of an answer list the values that the session keeps.
      return textOf(await (await client()).callTool({ name, arguments: args })).replace(
        /\n(?:not )?kept: [\s\S]*$/,
        '',
      );
    },
    api: once(async () => {
      desk.env.LLM_MODEL = 'scripted/steps.json';
      const server = await startHttp(desk);
      opened.push(server.stop);
      return server.url.replace(/\/mcp$/, '');
    }),
    async close() {
      for (const close of opened.reverse()) await close();
    },
  };
}
