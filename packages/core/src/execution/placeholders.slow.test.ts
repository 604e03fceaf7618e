import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { quickjsSandbox } from '../../../sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../../sandbox/src/sandboxes/sandbox.ts';
import { createToolwright, type ExecuteOptions } from '../toolwright.ts';

const PEOPLE = [
  { id: 1, full_name: 'Ann Smith', email: 'ann@x.com' },
  { id: 2, full_name: 'Bob Jones', email: 'bob.jones@y.org' },
];
const dataDir = temporaryFolder();
const sent: unknown[] = [];
const toolwright = await createToolwright({
  dataDir,
  waits: { graceMs: 0 },
  policy: { rules: [{ tools: 'crm__ask', action: 'ask' }] },
  tools: {
    crm: {
      tools: {
        list: { run: () => PEOPLE },
        send: { run: (message: unknown) => sent.push(message) },
        ask: { run: () => 'yes' },
      },
    },
  },
});
afterAll(() => toolwright.close());

async function run(source: string, options: ExecuteOptions = {}) {
  const result = await toolwright.execute(source, options);
  return { ...result, warnings: result.logs.filter(({ level }) => level === 'warn').map(({ text }) => text) };
}
const inSession = (sessionId: string) => ({ sessionId, createSession: true });

describe('a program that has a value as a literal', () => {
  test('compares with it, and neither the model nor the journal of calls receives it', async () => {
    const source = `
      const people = await callMCPTool('crm__list', {});
      const ann = people.find((p) => p.email === 'ann@x.com');
      console.log('found', ann.email);
      await callMCPTool('crm__send', { to: ann.email, name: ann.full_name });
      return { ann, same: people.filter((p) => p.email === ann.email).length };`;
    const result = await run(source, inSession('compares'));
    expect(result).toMatchObject({
      status: 'completed',
      value: { ann: { id: 1, full_name: '[NAME_1]', email: '[EMAIL_1]' }, same: 1 },
      warnings: [],
    });
    expect(result.logs).toMatchObject([{ text: 'found [EMAIL_1]' }]);
    expect(sent.pop()).toEqual({ to: 'ann@x.com', name: 'Ann Smith' });
    const calls = await toolwright.executions.calls(result.executionId);
    expect(JSON.stringify(calls)).not.toContain('ann@x.com');
  });

  test('writes placeholders to files, which another program reads', async () => {
    const session = inSession('files');
    const write = `const people = await callMCPTool('crm__list', {});
      await fs.writeFile('people.json', JSON.stringify(people));
      return people.some((p) => p.email === 'ann@x.com') && (await fs.readFile('people.json', 'utf8')).includes('ann@x.com')`;
    expect(await run(write, session)).toMatchObject({ value: true });
    const read = `const before = JSON.parse(await fs.readFile('people.json', 'utf8'));
      const now = await callMCPTool('crm__list', {});
      return before.every((p, i) => p.email === now[i].email) && before[0].email`;
    expect(await run(read, session)).toMatchObject({ value: '[EMAIL_1]', warnings: [] });
    const compare = `return JSON.parse(await fs.readFile('people.json', 'utf8')).findIndex((p) => p.email === 'bob.jones@y.org')`;
    expect(await run(compare, session)).toMatchObject({ value: 1, warnings: [] });
  });

  test('goes on after a wait as before', async () => {
    const source = `const people = await callMCPTool('crm__list', {});
      await callMCPTool('crm__ask', {});
      const again = await callMCPTool('crm__list', {});
      await fs.writeFile('left.txt', people.map((p) => p.email).join());
      return [people, again].map((list) => list.filter((p) => p.email === 'ann@x.com').length)`;
    const asked = await run(source, inSession('waits'));
    expect(asked.status).toBe('suspended');
    await toolwright.executions.decide(asked.executionId, { action: 'approve' });
    const result = await toolwright.executions.resume(asked.executionId);
    expect(result).toMatchObject({ status: 'completed', value: [1, 1] });
    expect(await run(`return fs.readFile('left.txt', 'utf8')`, inSession('waits'))).toMatchObject({
      value: '[EMAIL_1],[EMAIL_2]',
    });
  });

  test('is replayed without the values', async () => {
    const source = `const people = await callMCPTool('crm__list', {}); return people.find((p) => p.email === 'bob.jones@y.org').id`;
    const { executionId, ...result } = await run(source, inSession('replay'));
    expect(result).toMatchObject({ value: 2 });
    expect(await toolwright.executions.replay(executionId)).toMatchObject({ status: 'identical' });
  });
});

test.each([
  [`return await callMCPTool('crm__list', {})`, 1],
  [`const people = await callMCPTool('crm__list', {}); return people.map(({ email }) => email)`, 1],
  [`const people = await callMCPTool('crm__list', {}); return people.length`, 1],
  [`const people = await callMCPTool('crm__list', {}); return people.filter((p) => p.id > 1).map((p) => p.email)`, 1],
  [`const people = await callMCPTool('crm__list', {}); return people.map((p) => p.email + '')`, 3],
  [`const people = await callMCPTool('crm__list', {}); return people.filter((p) => p.email === people[0].email)`, 3],
])('a program that only passes on data runs once: %s', async (source, expected) => {
  const quickjs = quickjsSandbox();
  let runs = 0;
  const sandbox: Sandbox = {
    name: quickjs.name,
    languages: quickjs.languages,
    isolation: quickjs.isolation,
    run: (...given) => {
      runs++;
      return quickjs.run(...given);
    },
    [Symbol.asyncDispose]: () => quickjs[Symbol.asyncDispose](),
  };
  const tools = { crm: { tools: { list: { run: () => PEOPLE } } } };
  await using counted = await createToolwright({ dataDir: temporaryFolder(), sandbox, tools });
  const { status, logs } = await counted.execute(source);
  expect([status, logs, runs]).toEqual(['completed', [], expected]);
});

describe('a program that computes with the text of a placeholder', () => {
  const over = (rest: string) => `const people = await callMCPTool('crm__list', {});\n${rest}`;
  test.each([
    [`return people.map((p) => p.email.split('').reverse().join(''))`, 'line 2: .split', 'pii.derive'],
    [`return people.map((p) => p.email.search('@'))`, 'line 2: .search', 'pii.match'],
    [`return people.map((p) => p.email.charCodeAt(0))`, 'line 2: charCodeAt', "'length'"],
    // False for the placeholders and for other texts of their form: only the values show it.
    [`return people.filter((p) => p.full_name === ['Ann', 'Smith'].join(' ')).length`, '===', 'pii.match'],
    [`return [...people[0].full_name].filter((letter) => letter === 'n').length`, '===', 'pii.match'],
  ])('is warned once, with the operation and the fix: %s', async (rest, operation, fix) => {
    const { warnings } = await run(over(rest));
    expect(warnings).toHaveLength(1);
    for (const part of ['computes with the text of a placeholder', operation, fix]) expect(warnings[0]).toContain(part);
  });

  test.each([
    [`return people.map((p) => p.email.split('@')[1])`, ['x.com', 'y.org']],
    [`return people.every((p) => /^.+@.+$/.test(p.email))`, true],
    [`return people.map((p) => p.email.length)`, [9, 15]],
    [`return people.filter((p) => p.full_name.includes('Ann')).length`, 1],
    [`return people.filter((p) => p.email.endsWith('@x.com')).length`, 1],
    [`return people.some((p) => /^(bob|eve)/i.test(p.email))`, true],
  ])('has the result for the values where the host computes: %s', async (rest, value) => {
    expect(await run(over(rest))).toMatchObject({ value, warnings: [] });
  });

  test.each([
    `return people`,
    `return people.map((p) => 'Dear ' + p.full_name + ' <' + p.email + '>').join('\\n')`,
    `return Object.fromEntries(people.map((p) => [p.email, p.id]))`,
    `return pii.match(people.map((p) => p.email), { endsWith: '@x.com' })`,
    `return (await pii.derive(people.map((p) => p.email), 'domain')).filter((d) => d === 'x.com').length`,
    `await callMCPTool('crm__send', { raw: btoa('To: ' + people[0].email) });`,
    `await callMCPTool('crm__send', { query: 'Ann' }); return people[0]`,
    `return people.filter((p) => p.full_name.includes('Zoe')).length`,
    `return people.filter((p) => p.email === 'nobody@x.com').length`,
  ])('is not warned: %s', async (rest) => {
    expect(await run(over(rest))).toMatchObject({ status: 'completed', warnings: [] });
  });

  test('is warned if the run for the comparison has no end', async () => {
    const { warnings } = await run(over(`while (people[0].email.charCodeAt(0) !== 91);\nreturn people`));
    expect(warnings).toEqual([expect.stringContaining('was not checked: the run for the comparison was stopped')]);
  });

  test('has no values in its journal, and no warning without personal data', async () => {
    const { executionId } = await run(over(`return people.map((p) => p.email.search('@'))`));
    const journal = readFileSync(join(dataDir, 'executions', `${executionId}.jsonl`), 'utf8');
    expect(journal).not.toMatch(/ann@x\.com|bob\.jones@y\.org/);
    expect(await run(`return '[EMAIL_1]'.length`)).toMatchObject({ warnings: [] });
  });
});

test.each([
  'rows.first.trim()',
  'rows[0].id.trim()',
  'rows[0]["email"].nothing()',
  'rows[0].email.split("@").first()',
  'rows.map((row) => row.email.trim()).first()',
  'rows[0]?.id.trim().length',
  'rows[0].id.filter((row) => row.email.trim())',
  'rows[0].id.toLowerCase() === rows[1].email',
  'rows[0].id.includes?.("a"), rows[0].id.replaceAll("a", "b")',
  'for (const row of rows[0].id) row.email.trim();',
  'for (const row of rows[0].none) row.email.trim();',
])('an error that a program catches has the words of its author: %s', async (fault) => {
  const body = `try { ${fault} } catch (error) { return [error.name, error.message, error.stack.split('\\n')[0]]; }`;
  const plain = new Function('rows', body)(PEOPLE);
  const result = await run(`const rows = await callMCPTool('crm__list', {});\n${body}`);
  expect(result).toMatchObject({ status: 'completed', value: plain, warnings: [] });
});
