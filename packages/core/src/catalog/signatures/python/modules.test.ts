import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { needsPython, python } from '../../../../../../test/fixtures/python.ts';
import { hostileTools } from '../../../../../../test/hostile-tools.ts';
import { createPythonLocations } from './locations.ts';
import { pythonModule, pythonPackage } from './modules.ts';

const SEARCH: Tool = {
  id: 'nodes__search-nodes',
  server: 'nodes',
  definition: {
    name: 'search-nodes',
    description: 'Finds nodes.',
    inputSchema: {
      type: 'object',
      properties: { limit: { type: 'number' }, query: { type: 'string' }, from: {}, 'X-Odd Key': {} },
      required: ['query'],
    },
  },
};

function moduleOf(server: string, tools: readonly Tool[]): Promise<string> {
  const locations = createPythonLocations(new Map(tools.map((tool) => [tool.server, tool.server])));
  for (const { server: own } of tools) locations.set(own, tools);
  return pythonModule(server, tools, locations.of);
}

/** Runs Python with these modules and a `toolwright` module that returns the arguments of each call. */
function run(modules: Readonly<Record<string, string>>, code: string): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-python-'));
  try {
    mkdirSync(join(folder, 'servers'));
    writeFileSync(join(folder, 'toolwright.py'), 'def call_mcp_tool(name, args):\n    return [name, args]\n');
    writeFileSync(join(folder, 'servers/__init__.py'), pythonPackage(Object.keys(modules)));
    for (const [name, source] of Object.entries(modules)) writeFileSync(join(folder, `servers/${name}.py`), source);
    return python(code, null, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

needsPython.describe('pythonModule', () => {
  it('accepts one dict, positional values, or keywords', async () => {
    const calls = [
      'search_nodes({"query": "slack", "limit": None})',
      'search_nodes("slack")',
      'search_nodes("slack", 3)',
      'search_nodes("slack", limit=None)',
      'search_nodes(query=None, limit=3)',
      'search_nodes()',
      'search_nodes({"a": 1}, limit=2)',
      'search_nodes(query="q", from_="f", x_odd_key="o", other=1)',
    ];
    const code = `from servers.nodes import search_nodes\nprint(json.dumps([${calls.join(', ')}]))`;
    expect(run({ nodes: await moduleOf('nodes', [SEARCH]) }, code)).toEqual(
      [
        { query: 'slack', limit: null },
        { query: 'slack' },
        { query: 'slack', limit: 3 },
        { query: 'slack' },
        { query: null, limit: 3 },
        {},
        { query: { a: 1 }, limit: 2 },
        { query: 'q', from: 'f', 'X-Odd Key': 'o', other: 1 },
      ].map((args) => [SEARCH.id, args]),
    );
  });

  it('raises a TypeError that names the mistake in a call', async () => {
    const calls = [
      'search_nodes(1, 2, 3, 4, 5)',
      'search_nodes("slack", query="x")',
      'search_nodes(from_=1, **{"from": 2})',
    ];
    const code = `
from servers.nodes import search_nodes
found = []
for call in [${calls.map((call) => `lambda: ${call}`).join(', ')}]:
    try:
        found.append(call())
    except TypeError as error:
        found.append(str(error))
print(json.dumps(found))`;
    expect(run({ nodes: await moduleOf('nodes', [SEARCH]) }, code)).toEqual([
      'search_nodes accepts keyword arguments, one dict, or values in this order: query, limit, from, X-Odd Key',
      'search_nodes got query twice',
      'search_nodes got from twice',
    ]);
  });

  it('accepts snake_case for camelCase arguments; an exact name wins', async () => {
    const properties = { pageSize: {}, sortBy: {}, sort_by: {} };
    const list = {
      id: 's__list',
      server: 's',
      definition: { name: 'list', inputSchema: { type: 'object', properties } },
    };
    const code = `
import servers.s as s
from servers.s import *
calls = [s.list(page_size=3), s.list_(sort_by=1), s.list(sortBy=2, sort_by=3), list("ab")]
try:
    s.list(page_size=1, pageSize=2)
except TypeError as error:
    calls.append(str(error))
try:
    s.gone
except AttributeError as error:
    calls.append(str(error))
print(json.dumps(calls))`;
    expect(run({ s: await moduleOf('s', [list]) }, code)).toEqual([
      ['s__list', { pageSize: 3 }],
      ['s__list', { sort_by: 1 }],
      ['s__list', { sortBy: 2, sort_by: 3 }],
      ['a', 'b'],
      'list_ got pageSize twice',
      "module 'servers.s' has no attribute 'gone'",
    ]);
  });

  it('documents each function', async () => {
    expect(await moduleOf('nodes', [SEARCH])).toContain(`
def search_nodes(*values, **named):
    """Finds nodes
    await servers.nodes.search_nodes(query: str, limit: float = ..., from_: Any = ..., x_odd_key: Any = ...)
    """
    return _call("nodes__search-nodes", _arguments("search_nodes", ("query", "limit", "from", "X-Odd Key", ), 1, `);
  });

  it('calls every hostile tool by its own id, without side effects', async () => {
    const tools = hostileTools('hostile');
    const code = `
import builtins, types
import servers.hostile as module
from servers.hostile import *
functions = [value for name, value in vars(module).items() if not name.startswith("_")]
called = [function({}) for function in functions]
same = all(globals()[name] is value for name, value in vars(builtins).items() if name in globals() and not name.startswith("_"))
private = [name for name in vars(module) if name.startswith("_") and name not in ("_call", "_arguments", "_attributes", "__getattr__")]
plain = set(dir(types.ModuleType("plain"))) | {"__builtins__", "__file__", "__cached__"}
odd = module.proto_property("p", 1)
print(json.dumps([called, same, [name for name in private if name not in plain], odd]))`;
    const source = await moduleOf('""" \\ hostile \u2028 """', tools);
    const [called, same, strange, odd] = run({ hostile: source }, code) as [[string][], boolean, string[], unknown];
    expect(new Set(called.map(([id]) => id))).toEqual(new Set(tools.map(({ id }) => id)));
    expect([same, strange]).toEqual([true, []]);
    expect(JSON.stringify(odd)).toBe('["hostile__proto-property",{"__proto__":"p","constructor":1}]');
  });

  it('keeps every description inside its docstring', async () => {
    const texts = [
      '"""',
      '\\',
      '"',
      '""""',
      'a"',
      '\\"""',
      '"""\n"""',
      "'''",
      'a\r\nb\fc\u0000"""',
      '\\N{x}',
      '\ud800',
    ];
    const tools = texts.map((title, index) => ({
      id: `s__t${index}`,
      server: 's',
      definition: { name: `t${index}`, title, inputSchema: {} },
    }));
    const code = `
import servers.s as module
print(json.dumps([vars(module)[f"t{n}"].__doc__ for n in range(${texts.length})]))`;
    const docs = run({ s: await moduleOf('s', tools) }, code) as string[];
    expect(docs.map((doc) => doc.replace(/\n {4}await servers[^\n]*\n {4}$/, ''))).toEqual([
      '"""',
      '\\',
      '"',
      '""""',
      'a"',
      '\\"""',
      '""" """',
      "'''",
      'a bc"""',
      '\\N{x}',
      '\ufffd',
    ]);
  });
});

needsPython.describe('pythonPackage', () => {
  it('imports a server at its first use', async () => {
    const code = `
import servers
found = [servers.nodes.search_nodes("a"), dir(servers), hasattr(servers, "__path__"), hasattr(servers, "__wrapped__")]
try:
    servers.nods
except ModuleNotFoundError as error:
    found.append(str(error))
print(json.dumps(found))`;
    expect(run({ nodes: await moduleOf('nodes', [SEARCH]) }, code)).toEqual([
      [SEARCH.id, { query: 'a' }],
      ['nodes'],
      true,
      false,
      "No module named 'servers.nods'",
    ]);
  });
});
