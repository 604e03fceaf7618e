import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { mcpConnector } from '../mcp.ts';

const require = createRequire(import.meta.url);
function program(name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist/index.js');
}

test('three published servers connect at the same time, and a tool of each answers', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwright-real-')));
  writeFileSync(join(folder, 'a.txt'), 'hello');
  const node = process.execPath;
  const files = mcpConnector('files', { command: node, args: [program('server-filesystem'), folder] });
  const memory = mcpConnector('memory', {
    command: node,
    args: [program('server-memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
  });
  const everything = mcpConnector('everything', { command: node, args: [program('server-everything')] });
  const all = [files, memory, everything];
  try {
    const counts = (await Promise.all(all.map((connector) => connector.tools()))).map((tools) => tools.length);
    expect(counts).toEqual([14, 9, 15]);
    expect(await files.call('read_text_file', { path: join(folder, 'a.txt') })).toEqual({ content: 'hello' });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes'] }];
    expect(await memory.call('create_entities', { entities })).toEqual({ entities });
    expect(await everything.call('echo', { message: 'hi' })).toBe('Echo: hi');
    const { resources, templates } = (await everything.context?.resources()) ?? {};
    expect([resources?.length, templates?.length]).toEqual([7, 2]);
    const [part] = (await everything.context?.readResource('demo://resource/dynamic/text/3')) ?? [];
    expect(part).toMatchObject({ mimeType: 'text/plain', text: expect.stringContaining('Resource 3') });
    expect((await everything.context?.prompts())?.map(({ name }) => name)).toContain('args-prompt');
    const filled = await everything.context?.getPrompt('args-prompt', { city: 'Oslo' });
    expect(JSON.stringify(filled?.messages)).toContain('Oslo');
    await (await everything.context?.subscribe('demo://resource/dynamic/text/3', () => undefined))?.();
    expect(await memory.context?.resources()).toMatchObject({ resources: [{ uri: 'memory://knowledge-graph' }] });
    expect(await files.context?.resources()).toEqual({ resources: [], templates: [] });
  } finally {
    await Promise.all(all.map((connector) => connector[Symbol.asyncDispose]()));
  }
});
