import { describe, expect, it } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { createRecords } from '../journal/call-record.ts';
import { limitArguments, limitName, limitResult } from './limit.ts';

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
