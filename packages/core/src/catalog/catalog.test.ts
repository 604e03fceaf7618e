import { writeFileSync } from 'node:fs';
import type { Connector, ToolDefinition } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { fixture, fixturePath, temporaryFile } from '../../../../test/fixtures/server.ts';
import { hostileTools } from '../../../../test/hostile-tools.ts';
import { mcpConnector } from '../../../connectors/src/mcp.ts';
import { watchFailures } from '../telemetry/health/probes.ts';
import { countTokens } from '../telemetry/tokenizer.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { MAX_ANSWER_TOKENS } from './search/answer/answer.ts';
import { watchServers } from './servers.ts';
import { createPythonLocations } from './signatures/python/locations.ts';

/** A connector over a list of tools that the test may change. */
function connector(name: string, tools: () => ToolDefinition[] | Promise<ToolDefinition[]>) {
  const listeners = new Set<() => void>();
  const seen = { listings: 0, calls: [] as unknown[], disposed: false };
  const made: Connector = {
    name,
    status: () => ({ state: 'idle', starts: 0 }),
    tools: async () => {
      seen.listings++;
      return tools();
    },
    call: async (tool, args) => {
      seen.calls.push([tool, args]);
      return { called: tool };
    },
    onToolsChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.asyncDispose]: async () => {
      seen.disposed = true;
    },
  };
  return { made, seen, listeners, changed: () => listeners.forEach((listener) => void listener()) };
}

function definition(name: string, description = ''): ToolDefinition {
  return { name, description, inputSchema: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] } };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

async function broken(): Promise<never> {
  throw new Error('spawn ENOENT');
}

function issues(): ToolDefinition[] {
  return [definition('create_issue', 'Creates an issue.'), definition('list_issues', 'Lists issues.')];
}

function hitIds(answer: Awaited<ReturnType<Catalog['search']>>): string[] {
  return answer.hits.map(({ id }) => id);
}

describe('createCatalog', () => {
  it('connects to no server before the first request', async () => {
    const github = connector('github', issues);
    const files = connector('My Files', () => [definition('read_file')]);
    const catalog = createCatalog({ connectors: [github.made, files.made] });
    expect(catalog.servers()).toEqual([
      { name: 'github', slug: 'github', pythonModule: 'github', status: { state: 'idle', starts: 0 }, toolCount: 0 },
      {
        name: 'My Files',
        slug: 'My-Files',
        pythonModule: 'my_files',
        status: { state: 'idle', starts: 0 },
        toolCount: 0,
      },
    ]);
    expect((await catalog.tool('github__create_issue')).definition.name).toBe('create_issue');
    expect([github.seen.listings, files.seen.listings]).toEqual([1, 0]);
    expect((await catalog.list('FILES')).map(({ id }) => id)).toEqual(['My Files__read_file']);
  });

  it('starts the servers that a program names, once and without waiting', async () => {
    const servers = ['github', 'My Files', 'crm', 'broken'].map((name) =>
      connector(name, name === 'broken' ? broken : issues),
    );
    const catalog = createCatalog({ connectors: servers.map(({ made }) => made) });
    const listings = () => servers.map(({ seen }) => seen.listings);
    catalog.expect('return 1');
    expect(listings()).toEqual([0, 0, 0, 0]);
    catalog.expect(`await callMCPTool('github__list_issues'); await callMCPTool('broken__x')`);
    catalog.expect('from servers.my_files import read_file');
    expect(listings()).toEqual([1, 1, 0, 1]);
    await catalog.load({ server: 'github' });
    catalog.expect('github');
    expect(listings()).toEqual([1, 1, 0, 1]);
  });

  it('searches several queries at once, each tool once', async () => {
    const catalog = createCatalog({ connectors: [connector('github', issues).made] });
    const answer = await catalog.search(['create issue', 'list issues'], { limit: 1 });
    expect(answer).toEqual({
      hits: [
        expect.objectContaining({ id: 'github__create_issue', server: 'github', description: 'Creates an issue' }),
        expect.objectContaining({
          id: 'github__list_issues',
          signature: 'servers.github.list_issues({x: string})',
        }),
      ],
      text: 'servers.github.create_issue({x: string})\n  Creates an issue\nservers.github.list_issues({x: string})\n  Lists issues',
    });
    expect((await catalog.search(['zebra'])).note).toBe(
      'No tools found among 2. Try other words for what the tool does, or list_mcp_tools().',
    );
    expect((await catalog.search(['zebra'], { server: 'github' })).text).toBe(
      'No tool of this server has these words. 2 by name:\ngithub: create_issue list_issues',
    );
  });

  it('names `extract` where a query asks for it: no server offers it', async () => {
    const catalog = createCatalog({ connectors: [connector('github', issues).made] });
    const note = 'In programs, await extract(text, schema) reads data from a text.';
    expect((await catalog.search(['extract the due date of an issue'])).note).toBe(note);
    expect((await catalog.search(['zebra', 'parse a text'])).text).toContain(note);
    expect((await catalog.search(['issues of a sparse matrix'])).note).toBeUndefined();
  });

  it('names servers that are not ready, and waits no longer than `searchWaitMs`', async () => {
    const connectors = [connector('github', issues), connector('slow', never), connector('down', broken)];
    const catalog = createCatalog({ connectors: connectors.map(({ made }) => made), searchWaitMs: 50 });
    const answer = await catalog.search(['issue']);
    expect(answer.hits).toHaveLength(2);
    expect(answer.note).toBe('2 of 3 servers are not ready: slow (starting), down (failed: spawn ENOENT)');
    expect(answer.text.endsWith(answer.note ?? 'none')).toBe(true);
    await catalog.load({ waitMs: 20 });
    await expect(catalog.module('down')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await expect(catalog.tool('down__x')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  // A program read an empty list of a server that was still starting, without a word.
  it('waits in a list for the servers that its filter names, and reports which are missing', async () => {
    let answer: (tools: ToolDefinition[]) => void = () => undefined;
    const late = connector('late', () => new Promise((resolve) => (answer = resolve)));
    const connectors = [late, connector('down', broken), connector('github', issues)].map(({ made }) => made);
    const catalog = createCatalog({ connectors, searchWaitMs: 1 }).forUser('ada');
    expect(await catalog.list('issue')).toHaveLength(2);
    expect(catalog.notReady()).toBe('2 of 3 servers are not ready: late (starting), down (failed: spawn ENOENT)');
    const listed = catalog.list('Late');
    answer([definition('wake')]);
    expect((await listed).map(({ id }) => id)).toEqual(['late__wake']);
    expect(['late', 'git', 'down'].map(catalog.notReady)).toEqual([
      undefined,
      undefined,
      '1 of 1 servers is not ready: down (failed: spawn ENOENT)',
    ]);
  });

  it('waits for a slow server once, not with every search', async () => {
    const catalog = createCatalog({ connectors: [connector('slow', never).made], searchWaitMs: 1_000 });
    await catalog.search(['issue']);
    const start = performance.now();
    for (let count = 0; count < 10; count++) await catalog.search(['issue']);
    expect(performance.now() - start).toBeLessThan(9_000);
  });

  it('does not report a server as ready whose listing failed, until a listing succeeds', async () => {
    let answer: () => ToolDefinition[] | Promise<ToolDefinition[]> = broken;
    const flaky = connector('flaky', () => answer());
    // Its connection is open, as of a server that answers `tools/list` with an error.
    const ready = { ...flaky.made, status: () => ({ state: 'ready' as const, starts: 1 }) };
    const catalog = createCatalog({ connectors: [ready] });
    const status = () => catalog.servers()[0]?.status;
    expect(status()).toEqual({ state: 'ready', starts: 1 });
    await catalog.load();
    const failed = { state: 'failed', problem: 'spawn ENOENT', starts: 1 };
    expect(status()).toEqual(failed);
    let list: (tools: ToolDefinition[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (list = resolve));
    const loaded = catalog.load();
    expect(status()).toEqual(failed);
    await Promise.resolve();
    list(issues());
    await loaded;
    expect(status()).toEqual({ state: 'ready', starts: 1 });
  });

  it('tries a failed server again when it is needed', async () => {
    let up = false;
    const flaky = connector('flaky', () => (up ? issues() : broken()));
    const catalog = createCatalog({ connectors: [flaky.made] });
    await catalog.search(['issue']);
    await catalog.search(['issue']);
    expect(flaky.seen.listings).toBe(1);
    up = true;
    expect((await catalog.tool('flaky__create_issue')).server).toBe('flaky');
    expect((await catalog.search(['issue'])).note).toBeUndefined();
  });

  it('lists a server again after it announced a change', async () => {
    let tools = issues();
    const github = connector('github', () => tools);
    const catalog = createCatalog({ connectors: [github.made] });
    await catalog.load();
    const before = catalog.hash();
    tools = [definition('merge_pull', 'Merges a pull request.')];
    github.changed();
    expect(github.seen.listings).toBe(1);
    expect(hitIds(await catalog.search(['merge']))).toEqual(['github__merge_pull']);
    expect(hitIds(await catalog.search(['issue']))).toEqual([]);
    expect(catalog.hash()).not.toBe(before);
    await expect(catalog.tool('github__create_issue')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
  });

  it('suggests similar names', async () => {
    const catalog = createCatalog({ connectors: [connector('github', issues).made] });
    await expect(catalog.tool('create_isue')).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
      message:
        'Unknown tool "create_isue". Did you mean github__create_issue?\nservers.github.create_issue({x: string})',
    });
    await expect(catalog.tool('desk__file_bug_report_as_issue')).rejects.toMatchObject({
      message:
        'Unknown tool "desk__file_bug_report_as_issue". A search finds:\nservers.github.create_issue({x: string})\nservers.github.list_issues({x: string})',
    });
    expect(await catalog.describe('github__create_issue', 'call')).toBe('servers.github.create_issue({x: string})');
    await expect(catalog.search(['x'], { server: 'gihtub' })).rejects.toMatchObject({
      code: 'UNKNOWN_SERVER',
      message: 'Unknown server "gihtub". Did you mean github?',
    });
  });

  it('resolves a tool to its connector', async () => {
    const [github, other] = [connector('github', issues), connector('other', issues)];
    const catalog = createCatalog({ connectors: [other.made, github.made] });
    const { tool, connector: found } = await catalog.resolve('github__create_issue');
    expect([tool.id, Object(found).name]).toEqual(['github__create_issue', 'github']);
    await expect(catalog.resolve('github__gone')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
  });

  it('gives unique ids to tools with ambiguous names, in any order of answers', async () => {
    const short = connector('a', () => [definition('b__c')]);
    const long = connector('a__b', () => [definition('c')]);
    const orders = [
      [short, long],
      [long, short],
    ];
    const found = await Promise.all(
      orders.map(async (order) => {
        const catalog = createCatalog({ connectors: order.map(({ made }) => made) });
        for (const { made } of order) await catalog.load({ server: made.name });
        return (await catalog.list()).map(({ id, server }) => [server, id]);
      }),
    );
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).toEqual([
      ['a__b', 'a__b__c'],
      ['a', expect.stringMatching(/^a__b__c_[\da-f]{8}$/)],
    ]);
    const catalog = createCatalog({ connectors: [short.made, long.made] });
    expect((await catalog.tool(String(found[0]?.[1]?.[1]))).server).toBe('a');
  });

  it('describes tools and writes modules', async () => {
    const catalog = createCatalog({ connectors: [connector('My Server', issues).made] });
    expect(await catalog.describe('My Server__list_issues')).toBe(
      'callMCPTool("My Server__list_issues", {x: string})\n  Lists issues',
    );
    expect(await catalog.describe('My Server__list_issues', 'docs')).toContain('declare function callMCPTool(');
    expect(JSON.parse(await catalog.describe('My Server__list_issues', 'schema'))).toMatchObject({
      name: 'My Server__list_issues',
      inputSchema: { required: ['x'] },
    });
    expect(await catalog.module('My-Server')).toBe(await catalog.module('My Server'));
    expect(await catalog.declarations('My-Server')).toContain('export function list_issues(');
    await expect(catalog.module('__proto__')).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
  });

  it('describes tools in Python', async () => {
    const catalog = createCatalog({ connectors: [connector('My Server', issues).made] });
    const signature = 'await servers.my_server.create_issue(x: str)';
    const answer = await catalog.search(['create issue'], { server: 'my_server', limit: 1, language: 'python' });
    expect([answer.text, answer.hits[0]?.signature]).toEqual([`${signature}\n  Creates an issue`, signature]);
    for (const name of ['My Server__create_issue', 'servers.my_server.create_issue', 'my_server.create_issue']) {
      expect(await catalog.describe(name, 'signature', 'python')).toBe(`${signature}\n  Creates an issue`);
    }
    await expect(catalog.describe('my_server.gone', 'signature', 'python')).rejects.toMatchObject({
      code: 'UNKNOWN_TOOL',
    });
    const { tool, writer } = await catalog.resolve('My Server__create_issue', 'python');
    expect(writer.signature(tool)).toBe(signature);
    await expect(catalog.resolve('My Server__create_isue', 'python')).rejects.toThrow(signature);
    expect(await catalog.module('my_server', 'python')).toBe(await catalog.module('My-Server', 'python'));
    expect(await catalog.declarations('my_server', 'python')).toContain('async def create_issue(x: str) -> Any:');
    await expect(catalog.module('my_server')).rejects.toMatchObject({ code: 'UNKNOWN_SERVER' });
    expect((await catalog.search(['zebra'], { language: 'python' })).text).toMatch(/^No tools found/);
  });

  it('updates Python names after tools changed', async () => {
    let tools = [definition('a-b')];
    const github = connector('github', () => tools);
    const catalog = createCatalog({ connectors: [github.made] });
    expect(await catalog.describe('github__a-b', 'signature', 'python')).toContain('servers.github.a_b(');
    tools = [definition('a-b'), definition('a_b')];
    github.changed();
    expect(await catalog.describe('github__a-b', 'signature', 'python')).toMatch(/servers\.github\.a_b_[\da-f]{6}\(/);
    expect(await catalog.describe('github.a_b', 'schema', 'python')).toContain('"github__a_b"');
  });

  it('keeps every answer short, for any tools', async () => {
    const names = ['one', 'two', `long ${'n'.repeat(3_000)}`];
    const definitions = hostileTools('x').map((tool) => ({
      ...tool.definition,
      description: `<|endoftext|> 语言 tool ${tool.definition.description ?? ''} ${'🦄𓀀'.repeat(300)}`,
    }));
    const connectors = [
      ...names.map((name) => connector(name, () => definitions).made),
      connector('y'.repeat(9_000), broken).made,
    ];
    const catalog = createCatalog({ connectors });
    const answer = await catalog.search(['plain tool endoftext', '语言', 'comments'], { limit: 50 });
    expect(answer.hits).toHaveLength(50);
    expect(countTokens(answer.text)).toBeLessThanOrEqual(MAX_ANSWER_TOKENS);
    expect(answer.text).toMatch(/\d+ more found; narrow the query, or name a server\n1 of 4 servers is not ready/);
  });

  it('returns the same fingerprint for the same tools in any order', async () => {
    const hashes = await Promise.all(
      [issues(), issues().reverse()].map(async (tools) => {
        const catalog = createCatalog({ connectors: [connector('github', () => tools).made] });
        await catalog.load();
        return catalog.hash();
      }),
    );
    expect(hashes[0]).toMatch(/^[\da-f]{64}$/);
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('closes its connectors, and rejects two servers with the same name', async () => {
    const github = connector('github', issues);
    {
      await using catalog = createCatalog({ connectors: [github.made] });
      await catalog.load();
    }
    expect([github.seen.disposed, github.listeners.size]).toEqual([true, 0]);
    expect(() => createCatalog({ connectors: [github.made, github.made] })).toThrow(/same name/);
  });
});

describe('a failed server', () => {
  it('works again by a probe after its process has died, with one start and no call', async () => {
    const server = openServers(mcpConnector('s', fixture('dies')));
    await server.state.refresh({ retry: true });
    await expect(server.state.connector.call('die', {})).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await server.probes.look();
    expect(server.state.status()).toMatchObject({
      state: 'failed',
      starts: 1,
      nextProbeAt: '1970-01-01T00:00:05.000Z',
    });
    server.clock.ms += 5_000;
    await server.probes.look();
    expect(server.state.status()).toMatchObject({ state: 'ready', starts: 2 });
    await server.probes.look();
    expect(server.state.status()).not.toHaveProperty('nextProbeAt');
    expect(server.state.fresh()).toBe(true);
    await server.end();
  });

  it('gets its tools by a probe when it could not start before', async () => {
    const file = temporaryFile();
    const server = openServers(mcpConnector('s', { command: process.execPath, args: [`${file}.mjs`] }));
    await server.state.refresh({ retry: true });
    await server.probes.look();
    expect(server.state.status().state).toBe('failed');
    writeFileSync(`${file}.mjs`, `await import(${JSON.stringify(fixturePath('basic.mjs'))});`);
    server.clock.ms += 5_000;
    await server.probes.look();
    expect([server.state.status().state, server.state.listed()]).toEqual(['ready', true]);
    await server.end();
  });

  it('works again by a successful call when only its list had failed', async () => {
    let isBroken = false;
    const { made, changed } = connector('s', () => (isBroken ? broken() : issues()));
    const server = openServers({ ...made, status: () => ({ state: 'ready', starts: 1 }) });
    await server.state.refresh({ retry: true });
    isBroken = true;
    changed();
    await server.state.refresh({ retry: true });
    expect(server.state.status()).toMatchObject({ state: 'failed', problem: 'spawn ENOENT' });
    await server.state.connector.call('create_issue', {});
    expect(server.state.status().state).toBe('ready');
    await server.end();
  });
});

/** Watches one server with probes whose clock the test moves. */
function openServers(made: Connector) {
  const servers = watchServers({
    ...{ connectors: [made], locations: createPythonLocations(new Map()), onListed: async () => undefined },
    ...{ onFailed: () => undefined, onStale: () => undefined, onRefreshed: async () => undefined },
  });
  const clock = { ms: 0 };
  const probes = watchFailures(() => servers.all.map(({ probed }) => probed), {
    now: () => clock.ms,
    random: () => 0.5,
  });
  const state = servers.find('s');
  const end = async () => {
    probes[Symbol.dispose]();
    await state.close();
  };
  return { clock, probes, state, end };
}
