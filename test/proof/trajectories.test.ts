import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { needsPlainPython } from '../fixtures/plain-python.ts';

interface Call {
  readonly server: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly text: string;
  readonly isError?: boolean;
}
interface Step {
  readonly user?: string;
  readonly text?: string;
  readonly queries?: readonly string[];
  readonly calls?: readonly Call[];
}
interface Recorded {
  readonly catalog: readonly { readonly server: string; readonly name: string }[];
  readonly trajectories: readonly { readonly id: string; readonly system: string; readonly steps: readonly Step[] }[];
}
interface Figures {
  readonly trajectories: number;
  readonly problems: readonly (readonly [string, string])[];
  readonly ways: readonly { readonly name: string; readonly cost: number; readonly turns: number }[];
}

/** The benchmark is plain JavaScript without types. */
const part = (name: string) => import(new URL(`../../bench/trajectories/${name}.mjs`, import.meta.url).href);
const { programsOf }: { programsOf(calls: readonly Call[], known: string, of: () => string): Call[][] } =
  await part('flow');
const { codeOf }: { codeOf(program: readonly Call[], isKnown: () => boolean, shapes?: unknown[]): string } =
  await part('programs');
const { usedShape }: { usedShape(call: Call, later: string): unknown } = await part('parts');
const { measure }: { measure(recorded: Recorded, scratch: string, ways: readonly string[]): Promise<Figures> } =
  await part('measure');
const { trajectoryTables }: { trajectoryTables(sets: readonly object[]): string } = await part('main');
const { readLiveMcp }: { readLiveMcp(folder: string): Recorded } = await part('sets/livemcp');
const { readTau }: { readTau(folder: string): Recorded } = await part('sets/tau');

const folder = mkdtempSync(join(tmpdir(), 'toolwright-trajectories-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (name: string, args: Record<string, unknown>, result: unknown, isError = false): Call => {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return { server: 'shop', name, arguments: args, text, isError };
};
const user = call('user', { id: 'U-100' }, { id: 'U-100', order: 'O-200', cards: ['C-301', 'C-302'] });
const order = (id: string) => call('order', { id }, { id, total: 4_200 });
const programs = (calls: readonly Call[], known = 'I am U-100.') =>
  programsOf(calls, known, () => '').map((program) => program.map(({ name }) => name));

describe('calls become one program', () => {
  test.each([
    ['where a result has the only value', [user, order('O-200')], [['user', 'order']]],
    ['where the user gave the value', [user, order('U-100')], [['user', 'order']]],
    ['for all items of a list', [user, order('C-301'), order('C-302')], [['user', 'order', 'order']]],
  ])('%s', (_title, calls, expected) => {
    expect(programs(calls)).toEqual(expected);
  });

  test.each([
    ['one item of a list was chosen', [user, order('C-301')]],
    ['the model wrote the value', [user, order('O-999')]],
    ['the call failed', [user, call('order', { id: 'O-200' }, 'No such order.', true)]],
    ['the call before failed', [call('user', { id: 'U-100' }, 'Busy.', true), order('U-100')]],
  ])('but not where %s', (_title, calls) => {
    expect(programs(calls)).toEqual([[calls[0]?.name], [calls[1]?.name]]);
  });
});

test('a program is written with as few escapes as possible, and reads values that it does not know', () => {
  expect(codeOf([call('note', { text: `it's "x"\n` }, 'ok')], () => true)).toBe(
    `return await servers.shop.note({text: \`it's "x"\n\`})`,
  );
  expect(codeOf([user, order('O-200')], () => false)).toBe(
    `const r0 = await servers.shop.user({id: 'U-100'})\nconst r1 = await servers.shop.order({id: r0["order"]})\nreturn [r0, r1]`,
  );
});

test('the used parts of a result are its fields, and whole values where a key is an id', () => {
  const list = call(
    'orders',
    {},
    {
      page: 17,
      orders: [
        { id: 'O-1', total: 4_200 },
        { id: 'O-2', total: 4_300 },
      ],
    },
  );
  expect(usedShape(list, 'Order O-2 costs 4200.')).toEqual({ orders: [{ id: true, total: true }] });
  expect(codeOf([list], () => true, [usedShape(list, 'O-2')])).toBe(
    'const r0 = await servers.shop.orders({})\nreturn {orders: r0.orders.map((v) => ({id: v?.id}))}',
  );
  const byId = call('cards', {}, { cards: { c1: { id: 'c1', last: 4_417 }, c2: { id: 'c2', last: 7_782 } } });
  expect(usedShape(byId, 'The card that ends in 4417')).toEqual({ cards: true });
  expect(usedShape(byId, 'nothing of it')).toBe(true);
});

test('all ways make the recorded calls, and a record with a call that is refused is left out', async () => {
  const properties = { id: { type: 'string' } };
  const inputSchema = { type: 'object', properties, required: ['id'] };
  const catalog = ['user', 'order'].map((name) => ({ server: 'shop', name, description: name, inputSchema }));
  const say = (text: string): Step => ({ text, queries: [], calls: [] });
  const make = (...calls: Call[]): Step => ({ text: '', queries: [], calls });
  const steps = [{ user: 'I am U-100.' }, make(user), make(order('O-200')), say('It costs 4200.')];
  const refused = [{ user: 'Which order?' }, make(call('order', { id: 5 }, { id: 5 })), say('It is 5.')];
  const found = await measure(
    {
      catalog,
      trajectories: [
        { id: 'good', system: 'Be polite.', steps },
        { id: 'refused', system: '', steps: refused },
      ],
    },
    folder,
    ['D', 'S', 'C', 'C, each first guess wrong', 'C, call by call'],
  );
  expect(found.trajectories).toBe(1);
  expect(found.problems).toEqual([['refused', expect.stringContaining('TYPE_ERROR')]]);
  const turns = Object.fromEntries(found.ways.map((way) => [way.name, way.turns]));
  // The answer is a turn. S searches first, and C knows the names.
  expect(turns).toEqual({ D: 3, S: 4, C: 2, 'C, each first guess wrong': 3, 'C, call by call': 3 });
  const page = trajectoryTables([
    { title: 'Ours', ...found },
    { title: 'Theirs', missing: 'there is no x' },
  ]);
  expect(page).toContain('Theirs: there is no x.');
  expect(page).toContain('| way | Ours: turns |');
  expect(page).toContain('Ours: 1 trajectories, 2 calls. Left out: 1.');
});

function write(path: string, value: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value));
}

const asks = (id: string, name: string, args: object) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }],
});

test('runs of LiveMCPBench are read: searches, results in Python texts, and one that is cut off', () => {
  const tools = [{ name: 'get', description: 'Gets', inputSchema: { type: 'object' } }];
  write('tools/LiveMCPTool/tools.json', [{ tools: { notes: { tools } } }]);
  const printed = (text: string) => `meta=None content=[TextContent(type='text', text=${text}`;
  const answer = (text: string) => JSON.stringify({ content: [{ type: 'text', text }], isError: false }, null, 2);
  const python = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll("'", "\\'")}'`;
  const execute = (id: string, tool: string) =>
    asks(id, 'execute-tool', { server_name: 'notes', tool_name: tool, params: { id } });
  const results = {
    a: `${printed(python(answer(`it's\n"é"`)))}, annotations=None)] isError=False`,
    b: printed(python(answer('long text'))).slice(0, -25),
    c: 'Tool call timed out.',
  };
  const messages = [
    { role: 'system', content: 'x' },
    { role: 'user', content: 'Do it.' },
    asks('s', 'route', { query: '<tool_assistant>\nserver: notes\ntool: get a note\n</tool_assistant>' }),
    { role: 'tool', tool_call_id: 's', content: 'x' },
    ...Object.entries(results).flatMap(([id, content]) => [
      execute(id, 'get'),
      { role: 'tool', tool_call_id: id, content },
    ]),
    execute('d', 'invented'),
    { role: 'tool', tool_call_id: 'd', content: 'x' },
  ];
  write('baseline/output/claude-sonnet-4-20250514_Qwen3-Embedding-0.6B.json', [{ task_id: 't', messages }]);
  const { catalog, trajectories } = readLiveMcp(folder);
  expect(catalog).toEqual([{ server: 'notes', ...tools[0] }]);
  const steps = trajectories[0]?.steps ?? [];
  expect(steps.flatMap(({ queries = [] }) => queries)).toEqual(['notes get a note']);
  expect(steps.flatMap(({ calls = [] }) => calls.map(({ text, isError }) => [text, isError]))).toEqual([
    [`it's\n"é"`, false],
    [expect.stringMatching(/^long te?/), false],
    ['Tool call timed out.', true],
  ]);
});

needsPlainPython.it('conversations of tau-bench are read, with the definitions in Python sources', () => {
  const source = `import x\nclass A(B):\n  @staticmethod\n  def get_info():\n    return {"type": "function", "function": {"name": "find", "description": "Finds", "parameters": {"type": "object"}}}\n`;
  write('tau_bench/envs/airline/tools/find.py', source);
  write('tau_bench/envs/airline/tools/__init__.py', 'x');
  const traj = [
    { role: 'system', content: 'Policy' },
    { role: 'user', content: 'Hi' },
    asks('1', 'find', { id: 'A' }),
    { role: 'tool', tool_call_id: '1', content: 'Error: none' },
    { role: 'assistant', content: 'No.' },
  ];
  write('historical_trajectories/gpt-4o-airline.json', [{ task_id: 3, trial: 0, traj }]);
  const { catalog, trajectories } = readTau(folder);
  expect(catalog).toEqual([{ server: 'airline', name: 'find', description: 'Finds', inputSchema: { type: 'object' } }]);
  const found = { server: 'airline', name: 'find', arguments: { id: 'A' }, text: 'Error: none', isError: true };
  expect(trajectories).toEqual([
    {
      id: '3-0',
      system: 'Policy',
      steps: [{ user: 'Hi' }, { text: '', queries: [], calls: [found] }, { text: 'No.', queries: [], calls: [] }],
    },
  ]);
});
