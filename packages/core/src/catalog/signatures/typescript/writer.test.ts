import type { Tool } from '@toolwright/connectors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileTools } from '../../../../../../test/hostile-tools.ts';
import { serverModule } from './writer.ts';

type Calls = Record<string, (...values: unknown[]) => Promise<unknown>>;

async function load(source: string): Promise<Calls> {
  return import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`);
}

const SEARCH: Tool = {
  id: 'nodes__search-nodes',
  server: 'nodes',
  definition: {
    name: 'search-nodes',
    description: 'Finds nodes.',
    inputSchema: {
      type: 'object',
      properties: { limit: { type: 'number' }, query: { type: 'string' } },
      required: ['query'],
    },
  },
};

beforeAll(() => {
  Object.assign(globalThis, { callMCPTool: async (id: string, args: unknown) => [id, args] });
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, 'callMCPTool');
});

describe('serverModule', () => {
  it('accepts one object, or arguments in order with the required ones first', async () => {
    const { searchNodes } = await load(await serverModule('nodes', [SEARCH]));
    expect(await searchNodes?.({ query: 'slack', limit: 3 })).toEqual([SEARCH.id, { query: 'slack', limit: 3 }]);
    expect(await searchNodes?.('slack')).toEqual([SEARCH.id, { query: 'slack' }]);
    expect(await searchNodes?.('slack', 3)).toEqual([SEARCH.id, { query: 'slack', limit: 3 }]);
    expect(await searchNodes?.()).toEqual([SEARCH.id, {}]);
    expect(await searchNodes?.(undefined)).toEqual([SEARCH.id, {}]);
    await expect(searchNodes?.(1, 2, 3)).rejects.toThrow(
      new TypeError('searchNodes accepts one object or these arguments in order: query, limit'),
    );
  });

  it('shows each tool above its function', async () => {
    expect(await serverModule('nodes', [SEARCH])).toContain(`/**
 * Finds nodes
 * callMCPTool("nodes__search-nodes", {query: string, limit?: number})
 */
export async function searchNodes(...values) {
  return call("nodes__search-nodes", named("searchNodes", ["query", "limit"], values));
}
`);
  });

  it('exports tools whose names are reserved words', async () => {
    const names = ['delete', 'import', 'constructor', 'API-get-users'];
    const tools = names.map((name) => ({ id: `s__${name}`, server: 's', definition: { name, inputSchema: {} } }));
    const module = await load(await serverModule('s', tools));
    const called = ['delete', 'delete_', 'import', 'constructor', 'apiGetUsers'];
    expect(await Promise.all(called.map((name) => module[name]?.({})))).toEqual(
      ['delete', 'delete', 'import', 'constructor', 'API-get-users'].map((name) => [`s__${name}`, {}]),
    );
  });

  it('calls every hostile tool by its own id', async () => {
    const tools = hostileTools('hostile');
    const module = await load(await serverModule('*/ hostile \u2028', tools));
    const reached = await Promise.all(Object.values(module).map(async (run) => (await run({})) as [string, unknown]));
    expect(new Set(reached.map(([id]) => id))).toEqual(new Set(tools.map(({ id }) => id)));
    expect(await module.protoProperty?.('p', 1)).toEqual([
      'hostile__proto-property',
      Object.fromEntries([
        ['__proto__', 'p'],
        ['constructor', 1],
      ]),
    ]);
  });
});
