import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { type HttpServer, startApi } from '../fixtures/http-server.ts';
import { textOf } from '../fixtures/mcp-clients.ts';
import { fixture, fixturePath } from '../fixtures/server.ts';

const config = openDesk().write('toolwright.json', {
  mcpServers: { clock: { ...fixture('views', 'Clock'), protocol: 'legacy' }, 'clock/two': fixture('views', 'Second') },
  direct: ['*'],
});
const HTML = /const HTML = `(.*)`/.exec(readFileSync(fixturePath('views.mjs'), 'utf8'))?.[1] ?? '';

describe.each(['legacy', 'modern'])('views of servers, for a client of the era %s,', (era) => {
  let api: HttpServer;
  let client: Client;
  beforeAll(async () => {
    api = await startApi({}, { config });
    await api.toolwright.servers({ load: true });
    const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
    client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`)));
  });
  afterAll(async () => {
    await client.close();
    await api.close();
  });
  const listed = async () => (await client.listTools()).tools.filter(({ name }) => name.includes('clock'));
  const toolOf = async (server: string, name: string) => {
    const found = (await listed()).find((tool) => tool.name.startsWith(server) && tool.name.includes(name));
    return found ?? expect.unreachable(`no tool ${server} ${name}`);
  };
  const uriOf = async (server: string) => {
    const { _meta } = await toolOf(server, 'show_time');
    return (_meta as { ui: { resourceUri: string } }).ui.resourceUri;
  };

  test('belong to tools, by an address that names their server', async () => {
    const uris = [await uriOf('clock__'), await uriOf('clock_two__')];
    expect(uris[0]).toBe('ui://toolwright/clock/ui%3A%2F%2Fclock%2Fview.html');
    expect(new Set(uris).size).toBe(2);
    expect((await toolOf('clock__', 'show_old'))._meta).toEqual({
      ui: { resourceUri: uris[0] },
      'ui/resourceUri': uris[0],
    });
    expect((await toolOf('clock__', 'wrong'))._meta).toBeUndefined();
  });

  test('are read from their own server, with their settings and byte for byte', async () => {
    for (const [server, title] of [
      ['clock__', 'Clock'],
      ['clock_two__', 'Second'],
    ] as const) {
      const uri = await uriOf(server);
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([
        {
          uri,
          mimeType: 'text/html;profile=mcp-app',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of the fixture
          text: HTML.replace('${title}', title),
          _meta: { ui: { csp: { connectDomains: ['https://api.example'] }, prefersBorder: true } },
        },
      ]);
    }
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri.startsWith('ui://toolwright/clock/'))).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { prefersBorder: true } },
    });
    for (const uri of ['ui://clock/view.html', 'ui://toolwright/other/ui%3A%2F%2Fclock%2Fview.html'])
      await expect(client.readResource({ uri })).rejects.toThrow();
    await expect(client.readResource({ uri: 'ui://toolwright/clock/file%3A%2F%2F%2Fetc%2Fpasswd' })).rejects.toThrow();
  });

  test('call the tools of their server by its own names, where these are unique', async () => {
    const call = (name: string) => client.callTool({ name, arguments: {} });
    expect((await call('tick_second')).structuredContent).toEqual({ of: 'Second' });
    await expect(call('show_time')).rejects.toThrow();
    const tools = await listed();
    expect(tools.some(({ name }) => name.includes('refresh'))).toBe(false);
    expect(JSON.parse(textOf(await call('clock__declared')))).toEqual({ mimeTypes: ['text/html;profile=mcp-app'] });
  });
});
