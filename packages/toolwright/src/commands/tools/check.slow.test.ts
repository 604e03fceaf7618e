import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToolwright, inProfile, type Toolwright } from '@toolwright/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { checkTools } from './check.ts';

const folder = temporaryFolder();
let toolwright: Toolwright;

beforeAll(async () => {
  const item = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const run = () => 'done';
  const config = join(folder, 'toolwright.json');
  writeFileSync(config, JSON.stringify({ profiles: { work: { tools: ['shop__find_*'] }, wrong: {} } }));
  toolwright = await createToolwright({
    config,
    tools: {
      shop: { tools: { find_item: { inputSchema: item, run }, delete_item: { inputSchema: item, run } } },
      mail: { tools: { list: { run, annotations: { readOnlyHint: true } }, send: { run }, archive_note: { run } } },
    },
    mcpServers: { broken: { command: 'no-such-command-of-a-server' } },
    policy: {
      preset: 'guarded',
      rules: [
        { tools: 'shop__delete_*', action: 'deny' },
        { tools: ['shop__*', 'mail__archive_note'], action: 'allow' },
      ],
    },
    store: 'memory',
    startSandbox: false,
    dataDir: temporaryFolder(),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
});
afterAll(() => toolwright.close());

async function check(name: string, program: string) {
  const file = join(folder, name);
  writeFileSync(file, program);
  return report(file);
}

async function report(file: string, own = toolwright) {
  const out: string[] = [];
  const output = { out: (text: string) => void out.push(text), err: (text: string) => void out.push(text) };
  const code = await checkTools(own, { file, json: true, all: toolwright }, output, 10_000);
  return { code, ...JSON.parse(out.join('\n')) };
}

it('a program whose tools exist passes', async () => {
  const found = await check('good.ts', `return callMCPTool('shop__find_item', { id: 1 })`);
  expect(found).toEqual({
    code: 0,
    tools: [{ name: 'shop__find_item', status: 'available' }],
    problems: [],
    asked: [],
  });
});

it('a missing tool has similar names, a failed server its reason, and a denied tool its rule', async () => {
  const code = `await callMCPTool('shop__find_itm', { id: 1 }); await callMCPTool('broken__get', {});
await callMCPTool('shop__delete_item', { id: 1 }); await callMCPTool('fax__dial', {});`;
  const { code: exit, tools } = await check('bad.ts', code);
  expect(exit).toBe(1);
  expect(tools).toEqual([
    { name: 'broken__get', status: 'unavailable', reason: expect.stringContaining('The server broken is not ready: ') },
    {
      name: 'fax__dial',
      status: 'missing',
      reason: expect.stringContaining('No server is called fax.'),
      suggestions: [],
    },
    { name: 'shop__delete_item', status: 'denied', reason: expect.stringContaining('The policy refuses it: ') },
    {
      name: 'shop__find_itm',
      status: 'missing',
      reason: expect.stringContaining('The server shop has no such tool. Did you mean shop__find_item'),
      suggestions: expect.arrayContaining(['shop__find_item']),
    },
  ]);
});

it('wrong arguments are found where they are static', async () => {
  const { code, problems } = await check('wrong.ts', `\nreturn callMCPTool('shop__find_item', { idd: 1 })`);
  expect([code, problems]).toEqual([1, [expect.objectContaining({ line: 2, message: expect.any(String) })]]);
});

it('Python programs and functions of servers are checked', async () => {
  const program = `from servers.shop import find_item
if __name__ == '__main__':
    result = await find_item(id=1)
    await call_mcp_tool("shop__gone", {})`;
  const { code, tools } = await check('program.py', program);
  expect(code).toBe(1);
  expect(tools).toMatchObject([
    { name: 'shop__find_item', status: 'available' },
    { name: 'shop__gone', status: 'missing' },
  ]);
});

it('calls that may wait for a person are listed with the data that reaches them', async () => {
  const found = await check(
    'asked.ts',
    `const mails = await callMCPTool('mail__list', {});
const to = mails[0].from.split(' ')[0];
await callMCPTool('mail__send', { to, body: mails[0].body });
await callMCPTool('mail__archive_note', { note: 'x' });`,
  );
  expect(found).toMatchObject({ code: 0, problems: [] });
  expect(found.asked).toEqual([
    {
      file: join(folder, 'asked.ts'),
      tool: 'mail__send',
      rule: 'the preset "guarded": "to" is computed from mail__list',
      targets: [{ argument: 'to', from: 'computed from mail__list' }],
    },
  ]);
  expect((await check('own.ts', `await callMCPTool('mail__send', { to: 'a@b.example', body: 'x' })`)).asked).toEqual(
    [],
  );
});

it('a folder of a skill is checked as a whole', async () => {
  const skill = join(folder, 'skill');
  mkdirSync(join(skill, 'scripts'), { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: skill\ndescription: x\n---\n');
  writeFileSync(join(skill, 'scripts', 'a.ts'), `export const run = () => callMCPTool('shop__gone', {});`);
  const found = [await report(skill), await report(join(skill, 'SKILL.md'))];
  for (const { code, tools } of found) expect([code, tools]).toMatchObject([1, [{ name: 'shop__gone' }]]);
});

it('a program without tools, and a missing file', async () => {
  expect(await check('none.ts', 'return 1')).toEqual({ code: 0, tools: [], problems: [], asked: [] });
  await expect(report(join(folder, 'gone.ts'))).rejects.toThrow('There is no file');
});

it('a tool outside of the profile is missing, with the profile as the reason', async () => {
  const file = join(folder, 'profile.ts');
  writeFileSync(
    file,
    `await callMCPTool('shop__find_item', { id: 1 }); await callMCPTool('shop__delete_item', { id: 1 });`,
  );
  const { code, tools } = await report(file, inProfile(toolwright, 'work'));
  expect(code).toBe(1);
  expect(tools).toEqual([
    {
      name: 'shop__delete_item',
      status: 'missing',
      reason: expect.stringContaining('The profile "work" has no such tool. Add it to "tools"'),
    },
    { name: 'shop__find_item', status: 'available' },
  ]);
  await expect(report(file, inProfile(toolwright, 'wrong'))).rejects.toThrow('profiles.wrong: it names nothing');
  await expect(report(file, inProfile(toolwright, 'none'))).rejects.toThrow('There is no profile "none"');
});
