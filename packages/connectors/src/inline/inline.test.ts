import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { inlineConnector, toPlainData } from './inline.ts';

const inputSchema = { type: 'object', properties: { a: { type: 'number' } } };
const inline = inlineConnector('own', {
  description: 'Ours',
  tools: {
    double: { description: 'Doubles', inputSchema, run: ({ a }) => ({ doubled: Number(a) * 2, nothing: undefined }) },
    nothing: { run: () => undefined },
    boom: {
      run: () => {
        throw new Error('no such luck');
      },
    },
    waits: {
      run: async (_args, { signal, onProgress }) => {
        onProgress({ progress: 1 });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        stopped++;
      },
    },
  },
});
let stopped = 0;
const run = () => undefined;

test('lists its tools and runs them', async () => {
  expect(inline.description).toBe('Ours');
  expect(await inline.tools()).toEqual([
    { name: 'double', description: 'Doubles', inputSchema },
    { name: 'nothing', inputSchema: { type: 'object' } },
    { name: 'boom', inputSchema: { type: 'object' } },
    { name: 'waits', inputSchema: { type: 'object' } },
  ]);
  expect(await inline.call('double', { a: 21 })).toStrictEqual({ doubled: 42 });
  expect(await inline.call('nothing', {})).toBeNull();
});

test('reports a thrown error as TOOL_FAILED and an unknown name as UNKNOWN_TOOL', async () => {
  const failure = await failureOf(inline.call('boom', {}));
  expect([failure.code, failure.message]).toEqual(['TOOL_FAILED', 'no such luck']);
  expect((await failureOf(inline.call('constructor', {}))).code).toBe('UNKNOWN_TOOL');
});

test('stops a tool at its timeout and when the caller cancels', async () => {
  const reports: unknown[] = [];
  const late = inline.call('waits', {}, { timeoutMs: 50, onProgress: (report) => reports.push(report) });
  expect((await failureOf(late)).code).toBe('TOOL_TIMEOUT');
  expect(reports).toEqual([{ progress: 1 }]);
  expect((await failureOf(inline.call('waits', {}, { signal: AbortSignal.timeout(20) }))).code).toBe('CANCELLED');
  expect((await failureOf(inline.call('waits', {}, { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
  expect(stopped).toBe(2);
});

test('rejects calls after closing', async () => {
  const other = inlineConnector('other', { tools: { nothing: { run: () => undefined } } });
  await other[Symbol.asyncDispose]();
  expect((await failureOf(other.call('nothing', {}))).code).toBe('CLOSED');
  expect(other.status()).toEqual({ state: 'closed', starts: 0 });
});

test.each([
  [{ find: { run: () => 1 } }, 'The functions of crm belong under "tools": { crm: { tools: { … } } }.'],
  [undefined, 'The functions of crm belong under "tools": { crm: { tools: { … } } }.'],
  [{ tools: { find: { description: 'x' } } }, 'The tool find of crm has no function "run".'],
  [{ tools: { find: null } }, 'The tool find of crm has no function "run".'],
  [
    { tools: { find: { input: { type: 'object' }, run } } },
    'The option input of crm.find is not a Standard Schema. Pass a JSON Schema as inputSchema instead.',
  ],
  [
    { tools: { find: { input: z.string(), run } } },
    'The input schema of crm.find has the type string. The arguments of a tool must be an object.',
  ],
  [
    { tools: { find: { input: v.object({ name: v.string() }), run } } },
    'The input schema of crm.find has no JSON Schema: the library "valibot" does not convert it to JSON Schema. ' +
      'Pass the JSON Schema of the arguments as inputSchema too.',
  ],
  [
    { tools: { find: { output: z.object({ at: z.date() }), run } } },
    'The output schema of crm.find has no JSON Schema: Date cannot be represented in JSON Schema. ' +
      'Pass the JSON Schema of the result as outputSchema too.',
  ],
])('rejects an incomplete tool when the connector is created: %j', (options, message) => {
  expect(() => inlineConnector('crm', options as never)).toThrow(message);
});

const person = { name: 'Ada', address: { city: 'Berlin' }, tags: ['a'] };
const VALIBOT_SCHEMA = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

describe.each([
  {
    library: 'zod',
    input: z.object({
      name: z.string().min(2),
      address: z.object({ city: z.string() }),
      tags: z.array(z.string()).default([]),
    }),
    output: z.object({ greeting: z.string() }),
  },
  {
    library: 'valibot',
    input: v.object({
      name: v.pipe(v.string(), v.minLength(2)),
      address: v.object({ city: v.string() }),
      tags: v.optional(v.array(v.string()), []),
    }),
    output: v.object({ greeting: v.string() }),
  },
])('schemas of $library', ({ input, output }) => {
  const received: unknown[] = [];
  const connector = inlineConnector('crm', {
    tools: {
      greet: {
        input,
        output,
        inputSchema: VALIBOT_SCHEMA,
        outputSchema: { type: 'object' },
        run: (args) => {
          received.push(args);
          return args.name === 'broken' ? ({ greeting: 5 } as never) : { greeting: `Hello ${args.name}`, extra: 1 };
        },
      },
    },
  });

  test('pass validated values with defaults to the tool and to the caller', async () => {
    const { tags, ...rest } = person;
    expect(tags).toEqual(['a']);
    expect(await connector.call('greet', { ...rest, unknown: 1 })).toEqual({ greeting: 'Hello Ada' });
    expect(received.at(-1)).toEqual({ ...rest, tags: [] });
  });

  test('report all issues of the arguments, and do not run the tool', async () => {
    const count = received.length;
    const failure = await failureOf(connector.call('greet', { name: 'A', address: {}, tags: ['a', 5] }));
    expect([failure.code, failure.details]).toEqual(['INVALID_ARGUMENTS', { server: 'crm', tool: 'greet' }]);
    expect(failure.message).toMatch(/^Invalid arguments: name: .+; address\.city: .+; tags\[1\]: [^.]+\.$/);
    expect(received).toHaveLength(count);
  });

  test('report a result that does not match', async () => {
    const failure = await failureOf(connector.call('greet', { ...person, name: 'broken' }));
    expect([failure.code, failure.message]).toEqual([
      'TOOL_FAILED',
      expect.stringMatching(/^The result of greet on crm does not match its output schema: greeting: .+\.$/),
    ]);
  });
});

test('makes the JSON Schemas of zod schemas, with the input before and the output after transformations', async () => {
  const connector = inlineConnector('crm', {
    tools: {
      find: {
        input: z.object({ name: z.string().describe('Part of the name'), limit: z.number().default(5) }),
        output: z.array(z.object({ id: z.number(), state: z.string().default('new') })),
        run: ({ name, limit }) => [{ id: name.length * limit }],
      },
    },
  });
  const [found] = await connector.tools();
  expect(found).toEqual({
    name: 'find',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'Part of the name' }, limit: { type: 'number', default: 5 } },
      required: ['name'],
    },
    outputSchema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'number' }, state: { type: 'string', default: 'new' } },
        required: ['id', 'state'],
        additionalProperties: false,
      },
    },
  });
  expect(await connector.call('find', { name: 'Ada' })).toEqual([{ id: 15, state: 'new' }]);
});

test('makes the JSON Schema of a zod schema without the extension', async () => {
  const zod = z.object({ name: z.string() });
  const { jsonSchema: _extension, ...standard } = zod['~standard'];
  const older = Object.create(zod, { '~standard': { value: standard } });
  const [found] = await inlineConnector('crm', { tools: { find: { input: older, run } } }).tools();
  expect(found?.inputSchema).toEqual({
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  });
});

test('awaits asynchronous validation', async () => {
  const input = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'The name is taken.') });
  const connector = inlineConnector('crm', { tools: { add: { input, run: ({ name }) => name } } });
  expect(await connector.call('add', { name: 'free' })).toBe('free');
  expect((await failureOf(connector.call('add', { name: 'taken' }))).message).toBe(
    'Invalid arguments: name: The name is taken.',
  );
});

test('gives each function arguments of its own', async () => {
  const clear = (args: Record<string, unknown>) => delete args.name;
  const connector = inlineConnector('crm', { tools: { clear: { inputSchema: { type: 'object' }, run: clear } } });
  const args = { name: 'Ada' };
  expect(await connector.call('clear', args)).toBe(true);
  expect(args).toEqual({ name: 'Ada' });
});

class Money {
  readonly cents = 5;
  get euros(): number {
    return 0.05;
  }
}
const hidden = Object.defineProperty({ shown: 1 }, 'hidden', { value: 2, enumerable: false });
const ownPrototype = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
let deep: unknown = 'end';
for (let level = 0; level < 500; level++) deep = [deep];

test.each([
  [{ text: 'a', list: [1, 'two', null, true, { deep: [] }], none: undefined, call: () => 1, mark: Symbol('x') }],
  [[undefined, () => 1, Symbol('x'), Number.NaN, Number.POSITIVE_INFINITY, new Array(2)]],
  [-0],
  ['\ud800'],
  [new Date(0)],
  [{ at: new Date(0), map: new Map([[1, 2]]), bytes: new Uint8Array([1, 2]), boxed: Object('text') }],
  [new Money()],
  [Object.assign(Object.create(null), { a: 1 })],
  [Object.assign([1], { toJSON: () => 'list' })],
  [hidden],
  [ownPrototype],
  [deep],
])('%o becomes the same as through JSON', (value) => {
  const plain = toPlainData(value);
  expect(plain).toStrictEqual(JSON.parse(JSON.stringify(value)));
  expect(Object.is(plain, -0)).toBe(false);
  if (typeof plain === 'object') expect(plain).not.toBe(value);
});

test('a result without JSON is null, and errors of JSON stay', () => {
  expect([toPlainData(undefined), toPlainData(() => 1)]).toEqual([null, null]);
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  expect(() => toPlainData(cycle)).toThrow(/circular/);
});

test('a bigint stays one beyond 2^53, also next to values that only JSON converts', () => {
  expect(toPlainData({ small: -7n, large: 2n ** 64n })).toEqual({ small: -7, large: 2n ** 64n });
  expect(toPlainData([new Date(0), 2n ** 64n])).toEqual([new Date(0).toISOString(), 2n ** 64n]);
});
