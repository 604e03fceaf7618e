import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { createHostBridge } from '../../packages/core/src/execution/guest/guest-host.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { readRequest } from '../../packages/sandbox/src/bridge/protocol.ts';
import { GUEST_NAMES, OPERATIONS } from '../../packages/sandbox/src/guest-api.ts';
import { bridgeHostFixture, temporaryFolder } from '../fixtures/bridge-host.ts';

const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs' });
afterAll(() => toolwright.close());
const declared = readFileSync(new URL('../../packages/sandbox/src/guest/javascript/api.d.ts', import.meta.url), 'utf8');
/** Names that no declaration has: one of an engine, and one that the host adds to a program before it runs. */
const UNDECLARED = ['InternalError', '__toolwright_values'];

it('every name of the runtime is declared, including methods', async () => {
  const source = `const members = (name, value) => Object.keys(value).map((key) => name + '.' + key);
return [...Object.getOwnPropertyNames(globalThis), ...members('fs', fs), ...members('fs.promises', fs.promises), ...members('utils', utils), ...members('console', console), ...members('crypto', crypto)]`;
  const result = await toolwright.execute(source);
  const names = (result.status === 'completed' ? result.value : []) as string[];
  expect(names.length).toBeGreaterThan(100);
  const used = names.filter((name) => !UNDECLARED.includes(name)).join(', ');
  expect(await toolwright.check(`callMCPTool;\nreturn [${used}]`)).toMatchObject({ status: 'passed' });
});

it('every declared name exists', async () => {
  const names = [...declared.matchAll(/^declare (?:function|const|class) (\w+)/gm)].map(([, name]) => name);
  const files = [
    ...(/interface ToolwrightFiles \{([\s\S]*?)\n\}/.exec(declared)?.[1] ?? '').matchAll(/^ {2}(\w+)\(/gm),
  ].map(([, name]) => `fs.${name}`);
  expect([names.length > 20, files.length > 10]).toEqual([true, true]);
  const result = await toolwright.execute(
    `return [${[...names, ...files].map((name) => `['${name}', typeof ${name}]`)}]`,
  );
  const kinds = (result.status === 'completed' ? result.value : [['?', 'undefined']]) as [string, string][];
  expect(kinds.filter(([, kind]) => kind === 'undefined').map(([name]) => name)).toEqual([]);
});

it('the table of the API has the names of the declarations, and each of its operations is answered', async () => {
  const names = [...declared.matchAll(/^declare (?:function|const|class) (\w+)/gm)].map(([, name]) => name);
  expect(GUEST_NAMES.typescript.filter((name) => !names.includes(name))).toEqual([]);
  const platform =
    /^(?:set|clear|queue)|^(?:structuredClone|atob|btoa|crypto|performance|Text\w+|URL\w*|Buffer|DOMException|\w*Event|EventTarget|Abort\w+|Blob|File|FormData|Headers|\w+Stream|\w+Strategy)$/;
  const others = names.filter((name) => !GUEST_NAMES.typescript.includes(String(name)) && !platform.test(String(name)));
  expect(others).toEqual([]);
  const { options } = bridgeHostFixture({}, {});
  const { bridge } = createHostBridge(options);
  // Kept values belong to a session, and this host has none.
  const operations = Object.keys(OPERATIONS).filter((name) => !name.startsWith('kept'));
  const answers = operations.map((name, id) => bridge.request(readRequest(id, JSON.stringify([name]))));
  for (const { payload } of await Promise.all(answers)) expect(payload).not.toContain('has no operation');
});

it.each([
  'await list_mcp_tools(5)',
  'await show(5)',
  'await pii.match(5, { nope: 1 })',
  "await pii.derive(['a'], 'nonsense')",
  "await sleep('x')",
  'parseJSON()',
  'await execution(5)',
  "await extract(5, { type: 'string' })",
  'await list_resources(5)',
  "await list_resources({ nope: 'x' })",
  "await read_resource('a', { server: 5 })",
  "await utils.sleep('x')",
  'await search_tools(5)',
  'await fs.readFile(5)',
])('a wrong argument of any function of the API is found: %s', async (call) => {
  expect(await toolwright.check(`${call}; return 1`)).toMatchObject({
    status: 'failed',
    error: { code: 'TYPE_ERROR' },
    problems: [{ kind: 'wrong-argument' }],
  });
});

it.each([
  'const sleep = (text) => text; return sleep("x")',
  'function show(what: string | number) { return what }\nreturn show(5)',
  'const run = (execution: (id: number) => number) => execution(5); return run((id) => id)',
])("the program's own functions have their own types: %s", async (source) => {
  expect(await toolwright.check(source)).toMatchObject({ status: 'passed' });
});
