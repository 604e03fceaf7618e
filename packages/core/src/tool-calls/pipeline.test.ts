import { inlineConnector } from '@toolwright/connectors';
import { createSlots } from '@toolwright/sandbox/internal';
import { expect, it, vi } from 'vitest';
import { memoryJournal } from '../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../test/fixtures/partial.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { newRedactor, resolvedTool } from '../../../../test/fixtures/tool-calls.ts';
import type { RedactorOptions } from '../../../pii/src/redaction/redactor.ts';
import { createCatalog } from '../catalog/catalog.ts';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { BegunCall } from '../journal/call-record.ts';
import type { Arguments, ToolCallContext } from './call.ts';
import { createRecords } from './calls.ts';
import { resolveTool, runToolCall } from './pipeline.ts';
import { OPEN_POLICY } from './policy/create-policy.ts';

const PERSON = { name: 'Ada Lovelace', email: 'ada@example.com' };
const SCHEMA = { type: 'object', properties: { to: { type: 'string', maxLength: 15 } } };

/** Opens a pipeline whose redactor has assigned `[EMAIL_1]`. Records the order in which its stages have effects. */
async function open(
  answer: ResolvedTool['connector']['call'] = async () => PERSON,
  options: Partial<RedactorOptions> = {},
  decide: ToolCallContext['policy']['decide'] = OPEN_POLICY.forExecution({ userId: 'ada' }).decide,
) {
  const effects: string[] = [];
  const observed: unknown[] = [];
  const redactor = newRedactor(options);
  await redactor.redact('ada@example.com');
  const { entries, journal } = memoryJournal();
  const target = resolvedTool(
    (...call) => {
      effects.push('dispatch');
      return answer(...call);
    },
    { inputSchema: SCHEMA },
  );
  const ending = new AbortController();
  const records = createRecords();
  const context: ToolCallContext = {
    catalog: {
      async resolve() {
        effects.push('resolve');
        return target;
      },
      withObserved: (tool) => tool,
      observe: (_tool, result) => {
        effects.push('observe');
        observed.push(result);
      },
    },
    ask: () => Promise.reject(new Error('nobody is asked')),
    redactor: {
      ...redactor,
      restoreArguments(args, to) {
        effects.push('restore');
        return redactor.restoreArguments(args, to);
      },
      redactResult(data, from) {
        effects.push('redact');
        return redactor.redactResult(data, from);
      },
    },
    journal: {
      pause: journal.pause,
      resend: journal.resend,
      begin(entry: BegunCall) {
        effects.push('begin');
        return journal.begin(entry, true);
      },
      end(entry) {
        effects.push('end');
        journal.end(entry);
      },
      async flushed() {
        effects.push('flushed');
      },
    },
    limits: { callArgumentBytes: 100, callResultBytes: 100, depth: 200 },
    warn: () => undefined,
    language: 'typescript',
    userId: 'ada',
    names: {
      async isNamed() {
        effects.push('names');
        return true;
      },
    },
    policy: {
      decide(tool, args) {
        effects.push('policy');
        return decide(tool, args);
      },
      rehearse: decide,
      isSafeToResend: () => false,
      scopeOf: () => undefined,
      isReadOnly: () => false,
    },
    signal: ending.signal,
    records,
    record: Object.defineProperties(records.open({ number: 1, tool: 'crm__find' }), {
      argumentBytes: { set: () => effects.push('limit') },
      resultBytes: { set: () => effects.push('limit') },
    }),
    results: createSlots(1),
    room: () => undefined,
  };
  const run = (args: Arguments) => runToolCall({ number: 1, tool: 'crm__find', args }, context);
  return { run, effects, entries, observed, ending };
}

it('runs every stage once, in order', async () => {
  const { run, effects } = await open();
  await run({});
  expect(effects).toEqual(
    'limit resolve names restore policy begin flushed dispatch limit redact observe end'.split(' '),
  );
});

it('sends values, and returns, observes and journals placeholders', async () => {
  const find = vi.fn(async () => PERSON);
  const { run, entries, observed } = await open(find);
  const text = await run({ to: '[EMAIL_1]' });
  expect(find.mock.calls).toMatchObject([['find', { to: 'ada@example.com' }, {}]]);
  expect(JSON.parse(text)).toEqual({ name: '[NAME_1]', email: '[EMAIL_1]' });
  expect(observed).toEqual([JSON.parse(text)]);
  expect(entries).toEqual([
    ['begin', 1, 'crm__find', '{"to":"[EMAIL_1]"}'],
    ['end', 1, true, text],
  ]);
});

it('validates values instead of placeholders, sends nothing, and names placeholders in the error', async () => {
  const { run, effects, entries } = await open();
  await run({ to: '[EMAIL_1]' });
  const failure = await failureOf(run({ to: '[EMAIL_1] and more' }));
  expect(failure.code).toBe('INVALID_ARGUMENTS');
  expect(failure.message).toMatch(/to: must have at most 15 characters, got 24/);
  expect(effects.filter((effect) => effect === 'dispatch')).toHaveLength(1);
  expect(entries.slice(2)).toEqual([
    ['begin', 1, 'crm__find', '{"to":"[EMAIL_1] and more"}'],
    ['end', 1, false, JSON.stringify({ code: failure.code, message: failure.message })],
  ]);
});

it('sends nothing when the policy fails', async () => {
  const { run, effects, entries } = await open(undefined, {}, () => {
    throw new TypeError('ada@example.com is no rule');
  });
  await expect(run({})).rejects.toThrow(TypeError);
  expect(effects).not.toContain('dispatch');
  expect(entries[1]).toEqual(['end', 1, false, '{"message":"Internal error"}']);
});

it('redacts the message of a tool that fails', async () => {
  const { run, entries } = await open(() => Promise.reject(new ToolwrightError('TOOL_FAILED', 'no ada@example.com')));
  const failure = await failureOf(run({}));
  expect([failure.code, failure.message]).toEqual(['TOOL_FAILED', 'no [EMAIL_1]']);
  expect(entries[1]).toEqual(['end', 1, false, '{"code":"TOOL_FAILED","message":"no [EMAIL_1]"}']);
});

it('returns values to programs that may see them, and journals placeholders', async () => {
  const { run, entries } = await open(undefined, { clear: new Set(['crm']) });
  expect(JSON.parse(await run({ to: 'ada@example.com' }))).toEqual(PERSON);
  expect(JSON.stringify(entries)).not.toMatch(/Ada|ada@/);
});

it('does not resolve or journal a call beyond a limit', async () => {
  const { run, effects, entries } = await open();
  expect((await failureOf(run({ to: 'x'.repeat(100) }))).code).toBe('ARGUMENTS_TOO_LARGE');
  expect([effects, entries]).toEqual([['limit'], []]);
});

it('neither redacts nor observes a result beyond the limit', async () => {
  const { run, effects } = await open(async () => 'x'.repeat(100));
  expect((await failureOf(run({}))).code).toBe('TOOL_RESULT_TOO_LARGE');
  expect(effects).toEqual('limit resolve names restore policy begin flushed dispatch limit end'.split(' '));
});

it('raises the reason of the signal after the execution has ended, for any behaviour of the tool', async () => {
  for (const outcome of [
    async () => PERSON,
    () => Promise.reject(new ToolwrightError('TOOL_FAILED', 'ada@example.com')),
  ]) {
    const opened = await open(async () => {
      opened.ending.abort(new ToolwrightError('CANCELLED', 'over'));
      return outcome();
    });
    expect((await failureOf(opened.run({}))).message).toBe('over');
    expect(opened.entries.map(([kind]) => kind)).toEqual(['begin']);
  }
});

const crm = inlineConnector('crm', { tools: { find: { run: () => 1 } } });
const catalog = createCatalog({ connectors: [crm] }).forUser('local');

it('returns the tool and the connector of its server', async () => {
  const call = { number: 1, tool: 'crm__find', args: {} };
  const { tool, connector } = await resolveTool(call, partial({ catalog, language: 'typescript' }));
  expect([tool.id, Object(connector).name]).toEqual(['crm__find', 'crm']);
});

it('suggests a tool in the language of the program', async () => {
  const call = { number: 1, tool: 'crm__fnd', args: {} };
  const failure = await failureOf(resolveTool(call, partial({ catalog, language: 'python' })));
  expect(failure.code).toBe('UNKNOWN_TOOL');
  expect(failure.message).toMatch(/Did you mean crm__find\?\nawait servers\.crm\.find\(/);
});
