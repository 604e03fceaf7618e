import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { createToolwright, type ExecuteOptions, type Toolwright } from '../../toolwright.ts';

const dataDir = temporaryFolder();
const opened: Toolwright[] = [];
afterAll(async () => {
  await Promise.all(opened.map((toolwright) => toolwright.close()));
  rmSync(dataDir, { recursive: true, force: true });
});

const removed: unknown[] = [];
const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };

/** Opens a Toolwright whose tool `docs__find` is read-only, or not. */
async function open(readOnlyHint = true): Promise<Toolwright> {
  const find = { description: 'Finds.', inputSchema, annotations: { readOnlyHint }, run: () => 'docs__remove' };
  const remove = { description: 'Removes.', inputSchema, run: ({ id }: { id?: unknown }) => removed.push(id) };
  const pay = { description: 'Pays.', inputSchema, run: () => 'paid' };
  const toolwright = await createToolwright({
    dataDir,
    sandbox: 'quickjs',
    waits: { graceMs: 0 },
    policy: { rules: [{ tools: 'bank__pay', action: 'ask' }] },
    tools: { docs: { tools: { find, remove } }, bank: { tools: { pay } } },
  });
  opened.push(toolwright);
  return toolwright;
}

const toolwright = await open();
async function run(source: string, options: ExecuteOptions = {}) {
  removed.length = 0;
  const result = await toolwright.execute(source, { createSession: true, ...options });
  return result.status === 'completed' ? result.value : 'error' in result ? result.error.code : result.status;
}

const FIND = "const name = await callMCPTool('docs__find', {});\n";

test('an error has the signature and the fix, and nothing is sent', async () => {
  const result = await toolwright.execute(`${FIND}return callMCPTool(name, { id: 'a' });`);
  expect(result).toMatchObject({
    status: 'failed',
    error: {
      code: 'TOOL_NOT_NAMED',
      message: expect.stringContaining('servers.docs.remove({id?: string})'),
      line: 2,
    },
  });
  expect(removed).toEqual([]);
});

test.each<[string, unknown]>([
  // Names from data, by every way to a tool.
  [`${FIND}return servers[name.slice(0, 4)][name.slice(6)]({});`, 'TOOL_NOT_NAMED'],
  [`${FIND}return (await import('./servers/docs/index.js'))[name.slice(6)]({});`, 'TOOL_NOT_NAMED'],
  [`${FIND}return (await import('./servers/docs/' + name.slice(6) + '.ts')).default({});`, 'TOOL_NOT_NAMED'],
  [
    `${FIND}await fs.writeFile('x.js', "export default () => call" + "MCPTool('" + name + "', {})");
return (await import('./x.js')).default();`,
    'TOOL_NOT_NAMED',
  ],
  // A read-only tool may have any name.
  ["return callMCPTool(['docs', 'FIND'].join('__').toLowerCase(), {});", 'docs__remove'],
  // Code that the program wrote itself.
  [
    "await fs.writeFile('y.js', \"export default () => callMCPTool('docs__remove', {})\");\nreturn (await import('./y.js')).default();",
    1,
  ],
])('%s', async (source, value) => {
  expect(await run(source)).toBe(value);
  expect(removed).toHaveLength(typeof value === 'number' ? value : 0);
});

test('files of the session and skills name tools for the programs that load them', async () => {
  const user = { userId: 'ann', sessionId: 's1' };
  const code = "export default () => callMCPTool('docs__remove', {})";
  await run(
    `await fs.writeFile('lib.js', ${JSON.stringify(code)}); await fs.mkdir('/skills/drop', { recursive: true });
await fs.writeFile('/skills/drop/SKILL.md', '---\\nname: drop\\ndescription: Drops.\\n---\\n'); await fs.writeFile('/skills/drop/index.ts', ${JSON.stringify(code)});`,
    user,
  );
  expect(await run("return run_skill('drop', {})", user)).toBe(1);
  expect(await run("return (await import('./lib.js')).default()", user)).toBe(1);
  // Changed by the program itself, it is data.
  const changed = "await fs.appendFile('lib.js', '// more'); return (await import('./lib.js')).default()";
  expect(await run(changed, user)).toBe('TOOL_NOT_NAMED');
});

test('an execution that is continued keeps the names of its modules, and its earlier answers decide', async () => {
  removed.length = 0;
  const user = { sessionId: 's2', createSession: true };
  await toolwright.execute(
    "await fs.writeFile('lib.js', \"export default () => callMCPTool('docs__remove', {})\")",
    user,
  );
  const source = `const { default: drop } = await import('./lib.js');
const tool = ['docs', 'FIND'].join('__').toLowerCase();
const first = await callMCPTool(tool, {});
await callMCPTool('bank__pay', {});
const again = await callMCPTool(tool, {}).catch(({ code }) => code);
return [first, await drop(), again];`;
  const { executionId, status } = await toolwright.execute(source, user);
  expect(status).toBe('suspended');
  await toolwright.executions.decide(executionId, { action: 'approve' });
  await toolwright.close();
  // Its tool is not read-only any more: the recorded answer stays, and a new call is refused.
  const later = await open(false);
  const result = await later.executions.resume(executionId);
  expect(result).toMatchObject({ status: 'completed', value: ['docs__remove', 1, 'TOOL_NOT_NAMED'] });
  expect(removed).toHaveLength(1);
});
