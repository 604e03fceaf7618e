import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../../toolwright.ts';

const ROWS = [
  {
    id: 1,
    full_name: 'Ann Smith',
    ssn: '532-48-1973',
    card_number: '4539 1488 0343 6467',
    api_key: 'sk_live_Zx81kQwe7PlmN3',
  },
  {
    id: 2,
    full_name: 'Bob Jones',
    ssn: 536904399,
    card_number: '4111111111111111',
    api_key: 'sk_live_Pq99aBcDeFgH12x',
  },
  {
    id: 3,
    full_name: 'Cy Young',
    ssn: '536-90-4399',
    card_number: '5500005555555559',
    api_key: 'rk_other_Pq99aBcDeFgH12x',
  },
];
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  tools: { hr: { tools: { list: { run: () => ROWS } } } },
});
afterAll(() => toolwright.close());

async function warningsOf(source: string, language: 'typescript' | 'python') {
  const result = await toolwright.execute(source, { language });
  expect(result).toMatchObject({ status: 'completed' });
  return result.logs.filter(({ level }) => level === 'warn').map(({ text }) => text);
}
const typescript = (rest: string) =>
  warningsOf(`const rows = await callMCPTool('hr__list', {});\n${rest}`, 'typescript');
const python = (rest: string) => warningsOf(`rows = await call_mcp_tool('hr__list', {})\n${rest}`, 'python');
const WARNING = 'The program reads the text of a restricted placeholder (line 2';

describe.each<[string, (rest: string) => Promise<string[]>, string[], string[]]>([
  [
    'TypeScript',
    typescript,
    [
      `return rows.filter((r) => r.card_number.endsWith('6467')).length`,
      `return rows.filter((r) => r.ssn === 536904399)`,
      `return rows.filter((r) => r.api_key.startsWith('sk_live_')).map((r) => r.id)`,
      `return rows.map((r) => +String(r.ssn).slice(-4) > 1000)`,
      `return rows.filter((r) => { let sum = 0; for (const c of r.card_number) sum += Number(c); return sum % 10 === 0 }).length`,
      `return rows.some((r) => r.ssn.startsWith('9'))`,
      `return rows.map((r) => [r.ssn].includes('532-48-1973'))`,
      `return new Map(rows.map((r) => [r.ssn, r.id])).get('532-48-1973') ?? null`,
    ],
    [
      `return rows.filter((r) => r.id > 1).map((r) => ({ id: r.id, ssn: r.ssn }))`,
      `return rows.map((r) => r.id + ': ' + r.api_key).join(', ')`,
      `const byCard = new Map(rows.map((r) => [r.card_number, r])); return byCard.get(rows[0].card_number).id`,
      `return new Set(rows.map((r) => r.ssn)).size`,
      `return rows[1].ssn === rows[2].ssn`,
    ],
  ],
  [
    'Python',
    python,
    [
      `result = [r['id'] for r in rows if r['card_number'].endswith('6467')]`,
      `result = [r['id'] for r in rows if r['ssn'] == 536904399]`,
      `result = sum(1 for r in rows if r['api_key'].startswith('sk_live_'))`,
      `result = '532-48-1973' in [r['ssn'] for r in rows]`,
      `result = {r['ssn']: r['id'] for r in rows}.get('532-48-1973')`,
      `import re; result = [bool(re.match(r'^53', r['ssn'])) for r in rows]`,
      `result = [int(c) for c in rows[0]['card_number'] if c.isdigit() and c == '9']`,
    ],
    [
      `result = [{'id': r['id'], 'ssn': r['ssn']} for r in rows if r['id'] > 1]`,
      `result = ', '.join(f"{r['id']}: {r['api_key']}" for r in rows)`,
      `result = {r['card_number']: r['id'] for r in rows}[rows[0]['card_number']]`,
      `result = len({r['ssn'] for r in rows})`,
      `result = len({*(r['ssn'] for r in rows)})`,
      `result = len(set(r['ssn'] for r in rows))`,
    ],
  ],
])('%s that receives restricted values', (_name, warnings, reading, passing) => {
  test.each(reading)('is warned for any values: %s', async (rest) => {
    const [first = '', ...more] = await warnings(rest);
    expect(first).toContain(WARNING);
    expect(more).toEqual([]);
  });
  test.each(passing)('is not warned where it passes them on, or compares them as the values: %s', async (rest) => {
    expect(await warnings(rest)).toEqual([]);
  });
});

test.each([
  [
    'typescript',
    `const rows = await callMCPTool('hr__list', {}); return rows.filter((r) => r.ssn.endsWith('0001')).length`,
  ],
  ['python', `rows = await call_mcp_tool('hr__list', {})\nresult = sum(r['ssn'].endswith('0001') for r in rows)`],
] as const)('a %s program of a session, which keeps values, is watched', async (language, source) => {
  const settings = { sessionId: `kept-${language}`, createSession: true, language };
  const { logs } = await toolwright.execute(source, settings);
  expect(logs).toMatchObject([{ level: 'warn', text: expect.stringContaining('restricted placeholder (line') }]);
});

test.each([
  ['typescript', `const rows = await callMCPTool('hr__list', {});\nreturn pii.transform(['A'], 'lower')`],
  ['python', `rows = await call_mcp_tool('hr__list', {})\nresult = await pii.transform(['A'], 'lower')`],
] as const)('a %s program of a session, which names no kept value, is compared', async (language, source) => {
  const settings = { sessionId: `named-${language}`, createSession: true, language };
  expect(await toolwright.execute(source, settings)).toMatchObject({ value: ['a'], logs: [] });
});

test.each([
  [
    'typescript',
    `await fs.writeFile('checks.ts', "export const isOld = (ssn: string) => ssn.startsWith('5')")`,
    `import { isOld } from './checks.ts'; const rows = await callMCPTool('hr__list', {}); return rows.filter((r) => isOld(r.ssn)).length`,
  ],
  [
    'python',
    `write_file('checks.py', "def is_old(ssn):\\n    return ssn.startswith('5')\\n")`,
    `from checks import is_old\nrows = await call_mcp_tool('hr__list', {})\nresult = sum(is_old(r['ssn']) for r in rows)`,
  ],
] as const)('a module of a %s program is watched, too', async (language, write, read) => {
  const settings = { sessionId: `modules-${language}`, createSession: true, language };
  expect(await toolwright.execute(write, settings)).toMatchObject({ status: 'completed' });
  const { logs } = await toolwright.execute(read, settings);
  expect(logs).toMatchObject([{ level: 'warn', text: expect.stringContaining('restricted placeholder (line') }]);
});

test.each([
  ['quickjs', 'typescript', `return (await callMCPTool('hr__list', {})).map((r) => r.api_key[0])`],
  ['pyodide', 'python', `result = [r['api_key'][0] for r in await call_mcp_tool('hr__list', {})]`],
] as const)('%s runs watched programs', async (sandbox, language, source) => {
  const { logs } = await toolwright.execute(source, { language, sandbox });
  expect(logs).toMatchObject([{ level: 'warn', text: expect.stringContaining('(line 1: […])') }]);
});
