import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import type { Connector } from '../../../connectors/src/connector.ts';
import { countTokens } from '../../../core/src/telemetry/tokenizer.ts';
import { createToolwright } from '../../../core/src/toolwright.ts';
import { n8nConnectors } from '../servers.ts';
import { syncTemplates } from './sync.ts';

const NAMES = ['Alert a Slack channel when a webhook is called', 'Daily report by schedule', 'Chat agent with memory'];
const WORKFLOW = {
  nodes: [
    {
      id: '1',
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: 'in' },
    },
    {
      id: '2',
      name: 'Slack',
      type: 'n8n-nodes-base.slack',
      typeVersion: 2.2,
      position: [200, 0],
      parameters: { select: 'channel', channelId: { __rl: true, mode: 'name', value: '#x' }, text: 'hi' },
      credentials: { slackApi: { id: 'author', name: 'of the author' } },
    },
  ],
  connections: { Webhook: { main: [[{ node: 'Slack', type: 'main', index: 0 }]] } },
};

/** Starts a server that answers like n8n's template library, with 130 templates. */
async function startLibrary(): Promise<{ url: string; requests: string[]; close: () => void }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://library.test');
    requests.push(`${pathname}${new URL(request.url ?? '/', 'http://library.test').search}`);
    const all = Array.from({ length: 130 }, (_, index) => ({
      id: index + 1,
      name: `${NAMES[index % 3]} ${index}`,
      description: 'What it does, at length. '.repeat(20),
      totalViews: 1_000 - index,
      user: { username: 'ada' },
      nodes: [
        {
          id: 1,
          name: index % 3 === 0 ? `n8n-nodes-base.${index % 2 === 0 ? 'slack' : 'slackTrigger'}` : 'n8n-nodes-base.set',
          icon: 'x'.repeat(500),
        },
      ],
      categories: [{ id: 1, name: index % 3 === 2 ? 'AI' : 'Productivity' }],
    }));
    const id = /^\/api\/templates\/workflows\/(\d+)$/.exec(pathname)?.[1];
    const rows = Number(searchParams.get('rows'));
    const from = (Number(searchParams.get('page')) - 1) * rows;
    response.statusCode = id === '404' ? 404 : 200;
    const found = {
      workflow: { id: Number(id), name: 'Alert', description: 'Tells Slack', views: 7, workflow: WORKFLOW },
    };
    response.end(JSON.stringify(id ? found : { totalWorkflows: all.length, workflows: all.slice(from, from + rows) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close: () => server.close() };
}

let templates: Connector;
let requests: string[];

beforeAll(async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'n8n-templates-'));
  const library = await startLibrary();
  expect(await syncTemplates(cacheDir, { limit: 120, url: library.url })).toMatchObject({ templates: 120 });
  requests = library.requests;
  const servers = n8nConnectors({ catalog: 'example', cacheDir, templatesUrl: library.url });
  templates = servers.find(({ name }) => name === 'n8n-templates') as Connector;
  return library.close;
});

describe('templates', () => {
  it('are found by text, node types, category and complexity, the most used first', async () => {
    const search = (args: object) =>
      templates.call('searchTemplates', args as Record<string, unknown>) as Promise<{ id: number; nodes: string[] }[]>;
    expect(await search({ query: 'webhook slack alert', limit: 2 })).toHaveLength(2);
    expect((await search({ query: 'agent with memory' }))[0]).toMatchObject({
      name: expect.stringContaining('Chat agent'),
    });
    const slack = await search({
      query: { nodes: ['n8n-nodes-base.slack'], category: 'productivity', complexity: 'simple' },
    });
    expect(slack.map(({ id }) => id)).toEqual([1, 7, 13, 19, 25]);
    const service = await search({ services: ['Slack'] });
    expect(service.map(({ id }) => id)).toEqual([1, 4, 7, 10, 13]);
    expect(await search({ services: ['slack', 'gmail'] })).toEqual([]);
    expect(await search({ nodes: ['airtable'] })).toEqual([]);
  });

  it('are returned in at most 350 tokens for five hits', async () => {
    const hits = await templates.call('searchTemplates', { query: 'alert', limit: 5 });
    expect(hits).toHaveLength(5);
    expect(countTokens(JSON.stringify(hits))).toBeLessThanOrEqual(350);
  });

  it('are fetched once, and returned in the requested mode', async () => {
    expect(await templates.call('getTemplate', { id: 7 })).toMatchObject({
      id: 7,
      name: 'Alert',
      nodes: ['webhook', 'slack'],
    });
    expect(await templates.call('getTemplate', { id: '7', options: { mode: 'structure' } })).toMatchObject({
      connections: ['Webhook -> Slack'],
    });
    expect(await templates.call('getTemplate', { id: 7, mode: 'full' })).toMatchObject({ workflow: WORKFLOW });
    expect(requests.filter((path) => path.includes('/workflows/7'))).toHaveLength(1);
    await expect(templates.call('getTemplate', { id: 404 })).rejects.toThrow('Template 404 does not exist');
  });

  it("become workflows with the user's credentials", async () => {
    const made = await templates.call('instantiateTemplate', {
      id: 7,
      options: {
        name: 'Mine',
        credentials: { slackApi: { id: '5', name: 'Ours' }, other: { id: '6' } },
        operations: [{ op: 'updateNode', name: 'Slack', parameters: { text: 'ours' } }],
      },
    });
    expect(made).toMatchObject({
      name: 'Mine',
      nodes: [
        { webhookId: expect.any(String) },
        { credentials: { slackApi: { id: '5', name: 'Ours' } }, parameters: { text: 'ours' } },
      ],
    });
    expect(JSON.stringify(made)).not.toContain('author');
  });

  it('raise an error with the sync command before the first sync', async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), 'n8n-templates-'));
    const [, empty] = n8nConnectors({ catalog: 'example', cacheDir, templatesUrl: 'http://127.0.0.1:1' });
    await expect(empty?.call('searchTemplates', { query: 'x' })).rejects.toThrow('toolwright n8n sync --templates');
    await expect(empty?.call('getTemplate', { id: 1 })).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });
});

describe('a damaged file of the cache', () => {
  const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
    ['cut short', (file) => truncateSync(file, 40)],
    ['emptied', (file) => truncateSync(file, 0)],
    ['overwritten', (file) => writeFileSync(file, Buffer.alloc(500, 7))],
    ['other JSON', (file) => writeFileSync(file, '{"templates":[{"id":7}],"id":7,"workflow":[]}')],
    ['replaced by a folder', (file) => replaceByFolder(file)],
  ];

  /** Opens a cache with all templates and one workflow, next to a Toolwright that reports damaged files. */
  async function open() {
    const library = await startLibrary();
    const cacheDir = mkdtempSync(join(tmpdir(), 'n8n-templates-'));
    const sync = () => syncTemplates(cacheDir, { limit: 120, url: library.url });
    const serve = () => n8nConnectors({ catalog: 'example', cacheDir, templatesUrl: library.url })[1] as Connector;
    await sync();
    await serve().call('getTemplate', { id: 7 });
    const lines: string[] = [];
    const log = (_fields: unknown, message?: string) => void lines.push(String(message));
    const logger = { debug: log, info: log, warn: log, error: log } as never;
    const dataDir = mkdtempSync(join(tmpdir(), 'n8n-data-'));
    const toolwright = await createToolwright({ dataDir, logger, sandbox: warmQuickjs(), store: 'memory' });
    const close = async () => {
      await toolwright.close();
      library.close();
    };
    const damaged = async () => (await toolwright.health()).damaged;
    return { cacheDir, sync, serve, lines, damaged, requests: library.requests, [Symbol.asyncDispose]: close };
  }

  function replaceByFolder(file: string) {
    rmSync(file);
    mkdirSync(file);
  }

  it.each(DAMAGES)('is quarantined and named: a template that was %s is fetched again', async (_what, damage) => {
    await using cache = await open();
    damage(join(cache.cacheDir, 'templates', '7.json'));
    for (let read = 0; read < 2; read++)
      expect(await cache.serve().call('getTemplate', { id: 7 })).toMatchObject({ id: 7 });
    expect(cache.requests.filter((path) => path.includes('/workflows/7'))).toHaveLength(2);
    const [kept = ''] = readdirSync(join(cache.cacheDir, 'templates')).filter((name) =>
      name.startsWith('7.json.damaged-'),
    );
    const file = { kind: 'template of n8n', file: 'templates/7.json', renamedTo: `templates/${kept}` };
    expect(await cache.damaged()).toEqual([expect.objectContaining(file)]);
    expect(cache.lines.filter((line) => line.includes(join(cache.cacheDir, 'templates', kept)))).toHaveLength(1);
  });

  it.each(DAMAGES)('is quarantined and named: a list that was %s needs another sync', async (_what, damage) => {
    await using cache = await open();
    damage(join(cache.cacheDir, 'templates.json'));
    const search = () => cache.serve().call('searchTemplates', { query: 'alert', limit: 2 });
    for (let read = 0; read < 2; read++) await expect(search()).rejects.toThrow('toolwright n8n sync --templates');
    expect(await cache.damaged()).toEqual([
      expect.objectContaining({ kind: 'list of templates of n8n', file: 'templates.json' }),
    ]);
    expect(readdirSync(cache.cacheDir).filter((name) => name.startsWith('templates.json.damaged-'))).toHaveLength(1);
    await cache.sync();
    expect(await search()).toHaveLength(2);
  });
});
