import { afterAll, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../../toolwright.ts';

const PEOPLE = [
  { id: 1, full_name: 'Ann Smith', email: 'ann@x.com', phone: '+44 20 7946 0958' },
  { id: 2, full_name: 'Bob Jones', email: 'bob.jones@y.org', phone: '+44 20 7946 0959' },
];
let sent: unknown[] = [];
beforeEach(() => {
  sent = [];
});
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  tools: {
    crm: {
      tools: {
        list: { run: () => PEOPLE, annotations: { readOnlyHint: true } },
        find: { run: () => PEOPLE, annotations: { readOnlyHint: true } },
        send: { run: (message: unknown) => sent.push(message) },
      },
    },
  },
});
afterAll(() => toolwright.close());

const LANGUAGES = {
  typescript: (rest: string) => `const people = await callMCPTool('crm__list', {});\n${rest}`,
  python: (rest: string) => `people = await call_mcp_tool('crm__list', {})\n${rest}`,
};

test.each([
  ['typescript', `await callMCPTool('crm__send', { to: [...people[0].phone].slice(0, 4).join('') })`, '.slice'],
  [
    'typescript',
    `for (const p of people) await callMCPTool('crm__send', { subject: p.full_name.split('').reverse().join('') })`,
    '.split',
  ],
  [
    'typescript',
    `await Promise.all(people.map((p) => callMCPTool('crm__send', { n: p.email.charCodeAt(0) })))`,
    'charCodeAt',
  ],
  ['python', `await call_mcp_tool('crm__send', {'first': list(people[0]['full_name'])[0:3]})`, '[0:3]'],
] as const)('a %s program sends nothing that it computed from a placeholder: %s', async (language, rest, operation) => {
  const result = await toolwright.execute(LANGUAGES[language](rest), { language });
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'PII_DENIED', message: expect.stringContaining('crm__send was not called.') },
  });
  expect(JSON.stringify(result)).toContain(operation);
  expect(sent).toEqual([]);
});

test.each([
  [
    'typescript',
    `for (const p of people) await callMCPTool('crm__send', { to: p.email, text: 'Dear ' + p.full_name })`,
    2,
  ],
  [
    'typescript',
    `await Promise.all(people.filter((p) => p.id > 1).map((p) => callMCPTool('crm__send', { to: p.email })))`,
    1,
  ],
  [
    'typescript',
    `for (let i = 0; i < 9; i++) await callMCPTool('crm__send', { to: people[i % 2].email, at: Date.now() })`,
    9,
  ],
  ['python', `for p in people:\n    await call_mcp_tool('crm__send', {'to': f"{p['full_name']} <{p['email']}>"})`, 2],
] as const)('a %s program sends the values that it passes on: %s', async (language, rest, count) => {
  const result = await toolwright.execute(LANGUAGES[language](rest), { language });
  expect(result).toMatchObject({ status: 'completed', logs: [] });
  expect(sent).toHaveLength(count);
  expect(JSON.stringify(sent)).not.toContain('EMAIL');
});

test('calls of read-only tools go on, with a warning', async () => {
  const source = LANGUAGES.typescript(`return callMCPTool('crm__find', { at: people[0].email.search('@') })`);
  expect(await toolwright.execute(source)).toMatchObject({ status: 'completed', logs: [{ level: 'warn' }] });
});
