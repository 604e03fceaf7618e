import { describe, expect, test } from 'vitest';
import { pythonNames } from './python/names.ts';
import { typescriptNames } from './typescript/names.ts';

const functions = (pairs: readonly (readonly [string, string])[]) => pairs.map((pair) => pair.join('.')).sort();

describe('texts of a TypeScript program', () => {
  test.each<[program: string, texts: string[]]>([
    ["callMCPTool('crm__get', {})", ['crm__get']],
    ["const t = 'crm__get'; callMCPTool(t)", ['crm__get']],
    ['callMCPTool(`crm__get`, {})', ['crm__get']],
    ["callMCPTool('crm\\u005f_get', {})", ['crm__get']],
    ["for (const t of ['crm__get', 'crm__list']) await callMCPTool(t)", ['crm__get', 'crm__list']],
    ['const all = { crm__get: 1 };', ['crm__get']],
    ["enum Tool { A = 'crm__get' }", ['crm__get']],
    // Parts count only where the program writes a separator.
    ["const t = 'get'; callMCPTool(`crm__${t}`)", ['crm__', 'get']],
    ["callMCPTool('crm' + '__' + 'get')", ['crm', '__', 'get']],
    ["callMCPTool(['crm', 'get'].join('')); search_tools('get a customer')", []],
    ["const [t] = await search_tools('delete'); callMCPTool(t.name, { id: 'x' })", []],
    // Code that the program writes to a file or a skill.
    ["fs.writeFile('a.ts', `export const f = () => callMCPTool('crm__get')`)", ['crm__get']],
    // An invalid escape is no text of a tagged template.
    ['tag`\\u{bad}`', []],
    // Neither types nor comments run.
    ["type T = 'crm__get'; // crm__list", []],
  ])('%s', (program, texts) => {
    expect([...typescriptNames(program).texts].sort()).toEqual(texts.sort());
  });
});

describe('texts of a Python program', () => {
  test.each<[program: string, texts: string[]]>([
    ['await call_mcp_tool("crm__get", {})', ['crm__get']],
    ["t = '''crm__get'''", ['crm__get']],
    ["t = r'crm__get'", ['crm__get']],
    ["t = 'crm\\x5f_get'", ['crm__get']],
    ["for t in ['crm__get', 'crm__list']:\n    await call_mcp_tool(t)", ['crm__get', 'crm__list']],
    ['t = "get"\nawait call_mcp_tool(f"crm__{t}", {"id": 1})', ['crm__', 'get', 'id']],
    ['t = f"{{x}}crm__get"', ['{x}crm__get']],
    [`t = f"{call('crm__get')}"`, ['crm__get']],
    ['[t] = await search_tools("delete")\nawait call_mcp_tool(t["name"], {})', []],
    ['exec("call_mcp_tool(\'crm__get\')")', ['crm__get']],
    ['# crm__get\nx = 1', []],
    ['x = "unclosed\ny = "crm__get"', ['crm__get']],
  ])('%s', (program, texts) => {
    expect([...pythonNames(program).texts].sort()).toEqual(texts.sort());
  });
});

const CRM = "'./servers/crm/index.js'";

test.each<[program: string, names: string[]]>([
  [`import { get, list as all } from ${CRM}; get(all())`, ['crm.get', 'crm.list']],
  [`import * as crm from ${CRM}; crm.get({}); crm['list']()`, ['crm.get', 'crm.list']],
  [`import * as crm from '/servers/crm'; const { get } = crm;`, ['crm.get']],
  [`const crm = await import(${CRM}); crm.get()`, ['crm.get']],
  [`const { get, list: all } = await import(${CRM});`, ['crm.get', 'crm.list']],
  [`(await import(${CRM})).get()`, ['crm.get']],
  [`const use = () => crm.get(); let crm; crm = await import(${CRM});`, ['crm.get']],
  ['servers.crm.get({}); servers["my-mail"].send({})', ['crm.get', 'my-mail.send']],
  ['const { crm, mail: m } = servers; crm.get(); m.send()', ['crm.get', 'mail.send']],
  ['const crm = servers.crm; crm.get()', ['crm.get']],
  ["import get from './servers/crm/get.ts'; get()", ['crm.get']],
  ["const { default: get } = await import('./servers/crm/get.js')", ['crm.get']],
  // Values of a program name no function.
  [`import * as crm from ${CRM}; crm[hit.fn](); new Map().delete(1)`, []],
  ['servers[hit.server][hit.fn]()', []],
  [`import * as crm from ${CRM}; for (const f of ['get', 'list']) crm[f]()`, ['crm.get', 'crm.list']],
  [`const [crm] = await Promise.all([import(${CRM})]); crm.get()`, ['crm.all', 'crm.get']],
  [`import * as crm from ${CRM}; work(crm); function work(api) { api.get() }`, ['crm.get']],
  ['x.get()', []],
])('functions that a TypeScript program names: %s', (program, names) => {
  expect(functions(typescriptNames(program).functions)).toEqual(names);
});

test.each<[program: string, names: string[]]>([
  ['from servers.crm import get, list as all', ['crm.get', 'crm.list']],
  ['from servers.crm import (\n    get,\n    list as all,\n)', ['crm.get', 'crm.list']],
  ['from servers import crm as c, mail\nc.get()\nreturn mail.send()', ['crm.get', 'mail.send']],
  ['import servers.crm as c; x = await c . get()', ['crm.get']],
  ['import servers.crm\nservers.crm.get()', ['crm.get']],
  ['import servers\nprint(servers.crm.get())', ['crm.get']],
  ['def f():\n    from servers.crm import get\n    get()', ['crm.get']],
  ['if x: from servers.crm import get', ['crm.get']],
  ['from servers import crm\nwork(crm)\nx.get()', ['crm.get']],
  ['from servers import crm\nfor f in ["get"]: getattr(crm, f)()', ['crm.get']],
  ['import importlib\nimportlib.import_module("servers.crm").get()', ['crm.get']],
  ['from servers import crm\ncrm.get()\nx.delete()', ['crm.get']],
  ['x.get()', []],
])('functions that a Python program names: %s', (program, names) => {
  const found = functions(pythonNames(program).functions);
  expect(found).toEqual(expect.arrayContaining(names));
  expect(found.filter((name) => /delete/.test(name))).toEqual([]);
  if (names.length === 0) expect(found).toEqual([]);
});

test('a text that cannot be read names nothing', () => {
  expect(typescriptNames('const = "crm__get"')).toEqual({ texts: [], functions: [] });
});
