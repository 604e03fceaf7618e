import { describe, expect, test } from 'vitest';
import { ToolwrightError } from '../../../../core/src/errors.ts';
import type { ExecutionResult } from '../../../../core/src/history/result.ts';
import { toCallResult } from '../../mcp/call-result.ts';
import { EXECUTION_META, errorResponse, executionResponse, MAX_LOG_BYTES } from './tool-response.ts';

const stats = { droppedLogBytes: 0, totalMs: 1 } as ExecutionResult['stats'];
const facts = { executionId: 'id-1', logs: [], calls: [], stats };
const call = (number: number, tool: string) =>
  ({ number, tool, status: 'unanswered', durationMs: 1, argumentBytes: 2, resultBytes: 0 }) as const;

describe('the response of a completed execution has', () => {
  test.each<[string, unknown, string, unknown]>([
    ['its text as it is', 'a "b"', 'a "b"', 'a "b"'],
    ['its value as JSON without spaces', { a: [1, null] }, '{"a":[1,null]}', { a: [1, null] }],
    ['a note when there is no value', undefined, 'The program returned nothing.', null],
    ['null when that was returned', null, 'null', null],
  ])('%s', (_name, value, text, structured) => {
    const answer = executionResponse({ ...facts, status: 'completed', value });
    expect(answer).toEqual({
      text,
      structured: { value: structured },
      meta: { [EXECUTION_META]: { executionId: 'id-1', status: 'completed', calls: [], stats } },
    });
  });

  test('its logs and its session', () => {
    const logs = [
      { level: 'info', text: 'one' },
      { level: 'warn', text: 'two' },
    ] as const;
    const { text, structured } = executionResponse(
      { ...facts, logs, status: 'completed', value: 1 },
      { id: 's1', isNew: true },
    );
    expect(text).toBe('1\nlogs:\none\nwarn: two\nsessionId: s1');
    expect(structured).toEqual({ value: 1, logs: ['one', 'warn: two'], sessionId: 's1' });
    const known = executionResponse({ ...facts, logs: [], status: 'completed', value: 1 }, { id: 's1', isNew: false });
    expect([known.text, known.structured.sessionId]).toEqual(['1', 's1']);
  });

  test('the start and the end of long logs', () => {
    const logs = [{ level: 'info', text: `first${'x'.repeat(20_000)}last` }] as const;
    const { text } = executionResponse({ ...facts, logs, status: 'completed', value: 1 });
    expect(text.length).toBeLessThan(MAX_LOG_BYTES);
    expect(text).toMatch(
      /^1\nlogs:\nfirstx+\n… 17609 bytes left out; in the next program, await execution\("id-1", "logs"\) returns all lines …\nx+last$/,
    );
  });

  test('the calls that were not awaited', () => {
    const calls = [call(1, 'a__b'), call(2, 'a__b'), call(3, 'a__c')];
    const { text, structured } = executionResponse({ ...facts, calls, status: 'completed', value: 1 });
    expect(text).toBe('1\nno answer from a__b (2 calls), a__c: whether they took effect is unknown');
    expect(structured).toEqual({ value: 1, unanswered: ['a__b (2 calls)', 'a__c'] });
  });
});

describe('the response of an incomplete execution', () => {
  test('is an error with its place and hint', () => {
    const error = {
      kind: 'user',
      code: 'GUEST_ERROR',
      name: 'TypeError',
      message: 'x is 1',
      line: 3,
      column: 2,
    } as const;
    const answer = executionResponse({
      ...facts,
      status: 'failed',
      error: { ...error, stack: '  at 3', hint: 'Try y.' },
    });
    expect([answer.isError, answer.text]).toEqual([true, 'TypeError: x is 1 (line 3)\nhint: Try y.']);
    expect(answer.structured).toEqual({ status: 'failed', error: { ...error, hint: 'Try y.' } });
  });

  test('does not repeat the line number', () => {
    const error = {
      kind: 'user',
      code: 'SYNTAX',
      name: 'Error',
      message: 'Wrong at line 2, column 1',
      line: 2,
    } as const;
    expect(executionResponse({ ...facts, status: 'failed', error }).text).toBe('SYNTAX: Wrong at line 2, column 1');
  });

  test('names the tool whose server refused the call', () => {
    const error = { kind: 'user', code: 'TOOL_FAILED', name: 'ToolError', message: 'No.', tool: 'a__b' } as const;
    expect(executionResponse({ ...facts, status: 'failed', error }).text).toBe('TOOL_FAILED: a__b: No.');
  });

  test('that waits for a time alone asks no person', () => {
    const waits = { waitingFor: ['timer'], pending: [], wakeAt: '2026-01-01T00:00:00.000Z' } as const;
    expect(executionResponse({ ...facts, status: 'suspended', ...waits }).text).toBe(
      `Execution id-1 waits, and goes on by itself, at the latest at 2026-01-01T00:00:00.000Z. Do not run the program again: get its value later with "return await execution('id-1')".`,
    );
  });

  test('that waits for an approval does not call its effect unknown', () => {
    const question = { call: 1, kind: 'approval', arguments: {}, binding: 'b', expiresAt: '2026-01-01T00:00:00.000Z' };
    const waits = { waitingFor: ['approval'], pending: [{ ...question, tool: 'a__b' }] } as const;
    const calls = ['a__b', 'a__b', 'a__c'].map((tool) => ({ tool, status: 'unanswered' }));
    const { text } = executionResponse({ ...facts, calls, status: 'suspended', ...waits } as never);
    expect(text).toContain('no answer from a__b, a__c: whether');
    const one = executionResponse({ ...facts, calls: calls.slice(1, 2), status: 'suspended', ...waits } as never);
    expect(one.text).not.toContain('no answer');
  });

  test('is an error with the limit that stopped it', () => {
    const { text, structured, isError } = executionResponse({
      ...facts,
      status: 'stopped',
      limit: 'timeout',
      message: 'Too long.',
    });
    expect([text, isError]).toEqual(['timeout: Too long.', true]);
    expect(structured).toEqual({
      status: 'stopped',
      limit: 'timeout',
      error: { code: 'timeout', message: 'Too long.' },
    });
  });
});

test('a ToolwrightError has its code in the text and isError, and data only for a client that asks for it', () => {
  const response = errorResponse(new ToolwrightError('UNKNOWN_TOOL', 'No such tool.'));
  const text = { content: [{ type: 'text', text: 'UNKNOWN_TOOL: No such tool.' }], isError: true };
  expect(toCallResult(response, false)).toEqual(text);
  const structuredContent = { error: { code: 'UNKNOWN_TOOL', message: 'No such tool.' } };
  expect(toCallResult(response, true)).toEqual({ ...text, structuredContent });
});
