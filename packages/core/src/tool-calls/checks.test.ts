import { inlineConnector } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { partial } from '../../../../test/fixtures/partial.ts';
import { resolvedTool } from '../../../../test/fixtures/tool-calls.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { fileTypes } from '../catalog/inferred-types/file-types.ts';
import { openObservations } from '../catalog/inferred-types/observations.ts';
import { createRecords } from './calls.ts';
import { limitArguments, limitName, limitResult, nextPageOf, validateCall } from './checks.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';

function context(limits: { callArgumentBytes?: number; callResultBytes?: number }) {
  const record = createRecords().open(call({}));
  return { limits: { callArgumentBytes: 100, callResultBytes: 100, depth: 3, ...limits }, record };
}

const call = (args: Readonly<Record<string, unknown>>) => ({ number: 1, tool: 't__a', args });

describe('limitName', () => {
  it('accepts 1,000 characters and rejects 1,001', () => {
    expect(() => limitName('x'.repeat(1_000))).not.toThrow();
    expect(() => limitName('x'.repeat(1_001))).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_TOOL',
        message: 'The tool name has 1001 characters, the limit is 1000. Use a name from search_tools.',
      }),
    );
  });
});

describe('limitArguments', () => {
  it('serialises arguments of exactly the limit, measured in bytes', () => {
    const allowed = context({ callArgumentBytes: 10 });
    expect(limitArguments(call({ a: 'ü' }), partial(allowed))).toEqual({
      ...call({ a: 'ü' }),
      argumentText: '{"a":"ü"}',
    });
    expect(allowed.record.argumentBytes).toBe(10);
  });

  it('rejects one byte more, and records the size', () => {
    const allowed = context({ callArgumentBytes: 10 });
    expect(() => limitArguments(call({ a: 'üx' }), partial(allowed))).toThrow(
      expect.objectContaining({
        code: 'ARGUMENTS_TOO_LARGE',
        message: 'The arguments of t__a have 11 bytes, the limit is 10. Send less at once.',
      }),
    );
    expect(allowed.record.argumentBytes).toBe(11);
  });
});

describe('limitResult', () => {
  it('serialises data of exactly the limit', () => {
    const allowed = context({ callResultBytes: 4 });
    expect(limitResult('ü', call({}), partial(allowed))).toEqual({ data: 'ü', text: '"ü"' });
    expect(allowed.record.resultBytes).toBe(4);
  });

  it('accepts data of exactly the allowed depth, and rejects one level more', () => {
    expect(limitResult({ a: [[]] }, call({}), partial(context({}))).text).toBe('{"a":[[]]}');
    expect(() => limitResult({ a: [[[]]] }, call({}), partial(context({})))).toThrow(
      expect.objectContaining({
        code: 'TOOL_RESULT_TOO_LARGE',
        message: expect.stringContaining('deeper than 3 levels'),
      }),
    );
  });

  it('rejects one byte more, and records the size', () => {
    const allowed = context({ callResultBytes: 4 });
    expect(() => limitResult('üx', call({}), partial(allowed))).toThrow(
      expect.objectContaining({
        code: 'TOOL_RESULT_TOO_LARGE',
        message: 't__a returned 5 bytes, the limit is 4. The call took effect. Request less, by page or filter.',
      }),
    );
    expect(allowed.record.resultBytes).toBe(5);
  });
});

const target = resolvedTool(undefined, {
  inputSchema: { type: 'object', properties: { to: { enum: ['ada@example.com'] } }, required: ['to'] },
});

it('accepts restored values that match the schema', () => {
  expect(() => validateCall({ args: { to: 'ada@example.com' }, written: new Map() }, target)).not.toThrow();
});

it('raises an unredacted error that spells placeholders as the program wrote them', () => {
  const written = new Map([['bob@example.com', '[EMAIL_1]']]);
  let thrown: unknown;
  try {
    validateCall({ args: { to: 'bob@example.com' }, written }, target);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UnredactedError);
  const { error, source } = thrown as UnredactedError;
  expect([error.code, error.details, source]).toEqual(['INVALID_ARGUMENTS', { tool: 'crm__find' }, undefined]);
  expect(error.message).toMatch(/^Invalid arguments: to: expected "ada@example.com", got string "\[EMAIL_1\]"/);
});

it('lets the catalog of one user infer the type of results', async () => {
  await using observations = openObservations(fileTypes(temporaryFolder()));
  const crm = inlineConnector('crm', { tools: { find: { run: () => 1 } } });
  const shared = createCatalog({ connectors: [crm], observations });
  const catalog = shared.forUser('ada');
  const tool = await catalog.tool('crm__find');
  const observed = (user: string) => shared.forUser(user).withObserved(tool).observed;
  expect(observed('ada')).toBeUndefined();
  catalog.observe(tool, { email: '[EMAIL_1]' });
  expect(observed('ada')).toMatchObject({ type: ['object'], properties: { email: { type: ['string'] } } });
  expect(JSON.stringify(observed('ada'))).not.toContain('EMAIL');
  expect(observed('bob')).toBeUndefined();
});

it.each([
  [{ contacts: [], next_cursor: '3' }, 'next_cursor'],
  [{ items: [], nextPage: 2 }, 'nextPage'],
  [{ data: [], has_more: true }, 'has_more'],
  [{ items: [], next_cursor: null }, undefined],
  [{ items: [], next_cursor: '', has_more: false }, undefined],
  [[{ next_cursor: 'a' }], undefined],
  ['next_cursor', undefined],
])('%j has the next page in %s', (data, name) => expect(nextPageOf(data)).toBe(name));
