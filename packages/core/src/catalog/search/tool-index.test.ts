import type { Tool } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { type CatalogServer, readCatalog, readQueries } from '../../../../../test/catalogs.ts';
import { needsData } from '../../../../../test/data.ts';
import { hostileTools } from '../../../../../test/hostile-tools.ts';
import { createToolIndex, type ToolIndex } from './tool-index.ts';

function tools(server: string, descriptions: Readonly<Record<string, string>>): Tool[] {
  return Object.entries(descriptions).map(([name, description]) => ({
    id: `${server}__${name}`,
    server,
    definition: { name, description, inputSchema: { type: 'object', properties: { city: { type: 'string' } } } },
  }));
}

const GITHUB = tools('github', { create_issue: 'Creates an issue.', list_issues: 'Lists issues of a repository.' });
const WEATHER = tools('weather', { get_forecast: 'Forecast for the coming days.', 查询天气: '查询城市的天气预报' });

function filled(): ToolIndex {
  const index = createToolIndex();
  index.set('github', { description: 'Repositories and pull requests', tools: GITHUB });
  index.set('weather', { tools: WEATHER });
  return index;
}

function ids(index: ToolIndex, query: string, options?: { server?: string; limit?: number }): string[] {
  return index.search(query, options).map(({ tool }) => tool.id);
}

describe('createToolIndex', () => {
  it('finds all tools with a star, in the order of their ids', () => {
    const all = ['github__create_issue', 'github__list_issues', 'weather__get_forecast', 'weather__查询天气'];
    expect(ids(filled(), ' * ')).toEqual(all);
    expect(ids(filled(), '*', { limit: 2 })).toEqual(all.slice(0, 2));
  });

  it('finds by inflected names, descriptions, servers and parameters, best first', () => {
    const index = filled();
    expect(ids(index, 'creating issues')).toEqual(['github__create_issue', 'github__list_issues']);
    expect(ids(index, 'weather forecast')[0]).toBe('weather__get_forecast');
    expect(ids(index, '天气预报')).toEqual(['weather__查询天气']);
    expect(ids(index, 'pull requests')).toEqual(['github__create_issue', 'github__list_issues']);
    expect(ids(index, 'quantum')).toEqual([]);
    expect(ids(index, 'city', { server: 'weather', limit: 1 })).toHaveLength(1);
  });

  it('finds synonyms, and joined words by their parts', () => {
    const index = filled();
    index.set('disk', { tools: tools('disk', { read_file: 'Gives text.', remove_directory: 'Takes it away.' }) });
    index.set('browser', { tools: tools('browser', { take_screenshot: 'Gives a picture.' }) });
    expect(ids(index, 'delete folder')).toEqual(['disk__remove_directory', 'disk__read_file']);
    expect(ids(index, 'delete issue')[0]).toBe('github__create_issue');
    expect(ids(index, 'screen shot')).toEqual(['browser__take_screenshot']);
  });

  it('replaces and removes servers without a trace', () => {
    const index = filled();
    index.set('files', { tools: tools('files', { read_file: 'Reads a file.' }) });
    index.set('github', { tools: tools('github', { star: 'Stars a repository.' }) });
    index.remove('files');
    index.remove('unknown');
    const fresh = createToolIndex();
    fresh.set('github', { tools: tools('github', { star: 'Stars a repository.' }) });
    fresh.set('weather', { tools: WEATHER });
    for (const query of ['issue', 'file', 'star repository', 'weather forecast city']) {
      expect(index.search(query)).toEqual(fresh.search(query));
    }
  });

  it('scores as a new index does after each change, although it keeps numbers of earlier queries', () => {
    const long = 'Forecast of rain, wind and sun for a city and all places around it, day by day. '.repeat(20);
    const changes = [tools('sky', { show: long }), tools('sky', { show: 'Forecast' }), []];
    const index = filled();
    const scores = (of: ToolIndex) => of.search('city forecast').map(({ tool, score }) => [tool.id, score]);
    const seen = changes.map((changed) => {
      const before = JSON.stringify(scores(index));
      const fresh = filled();
      for (const each of [index, fresh]) each.set('sky', { tools: changed });
      expect(scores(index)).toEqual(scores(fresh));
      return JSON.stringify(scores(index)) !== before;
    });
    expect(seen).toEqual([true, true, true]);
  });

  it('loads a large server while other work runs, and finds the tools before until the end', async () => {
    const many = (word: string) =>
      tools(
        'large',
        Object.fromEntries(Array.from({ length: 1_000 }, (_, number) => [`${word}_${number}`, 'Does it.'])),
      );
    const index = createToolIndex();
    await index.load('large', { tools: many('before') });
    const loading = index.load('large', { tools: many('after') });
    await new Promise(setImmediate);
    expect([ids(index, 'before').length, ids(index, 'after').length]).toEqual([5, 0]);
    await loading;
    expect([ids(index, 'before').length, ids(index, 'after').length]).toEqual([0, 5]);
  });

  it('finds a tool without a description by its name, parameters and server', () => {
    const index = filled();
    const definition = { name: 'ping', inputSchema: { type: 'object', properties: { hostname: { type: 'string' } } } };
    index.set('net', { tools: [{ id: 'net__ping', server: 'net', definition }] });
    for (const query of ['ping', 'hostname', 'net']) expect(ids(index, query)[0]).toBe('net__ping');
  });

  it('indexes hostile tools', () => {
    const index = createToolIndex();
    index.set('constructor', { description: '__proto__', tools: hostileTools('constructor') });
    expect(ids(index, '__proto__ constructor')).toContain('constructor____proto__');
    expect(ids(index, 'x '.repeat(100_000), { limit: 3 }).length).toBeLessThanOrEqual(3);
  });
});

needsData.describe('on the tuning sets', () => {
  const indexOf = (servers: readonly CatalogServer[]): ToolIndex => {
    const index = createToolIndex();
    for (const { server, description, tools } of servers) index.set(server, { description, tools });
    return index;
  };
  const recallAt5 = (index: ToolIndex, set: string): number => {
    const recalls = readQueries(set).map(({ query, relevant }) => {
      const found = new Set(ids(index, query));
      return relevant.filter((alternatives) => alternatives.some((id) => found.has(id))).length / relevant.length;
    });
    return recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
  };

  it.each([
    ['live_step', 'livemcpbench', 0.75],
    ['live_task', 'livemcpbench', 0.46],
    ['bfcl_live_multiple', 'bfcl-live', 0.9],
    ['metatool_single_2k', 'metatool', 0.62],
  ])('%s in %s: recall at 5 of at least %d', (set, catalog, least) => {
    expect(recallAt5(indexOf(readCatalog(catalog)), set)).toBeGreaterThanOrEqual(least);
  });

  it('is fast with thousands of tools', () => {
    const servers = ['livemcpbench', 'github-mcp', 'toucan'].flatMap(readCatalog);
    // Other processes of the machine take wall-clock time, but no CPU time of this one.
    const start = process.cpuUsage();
    const index = indexOf(servers);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(20_000);
    const times = readQueries('live_step').map(({ query }) => {
      const before = performance.now();
      index.search(query);
      return performance.now() - before;
    });
    expect(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(30);
  });
});
