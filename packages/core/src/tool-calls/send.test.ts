import { expect, it } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { resolvedTool } from '../../../../test/fixtures/tool-calls.ts';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { ToolwrightError } from '../errors.ts';
import type { Arguments, SentCall } from './call.ts';
import { UnredactedError } from './redaction/unredacted-error.ts';
import { dispatchCall } from './send.ts';

const { signal } = new AbortController();
const caller = { signal, userId: 'ada' };

function sentTo(target: ResolvedTool, args: Arguments = {}): SentCall {
  return { call: { number: 1, tool: 'crm__find', args }, restored: { args, written: new Map() }, target };
}

it('sends the arguments under the name that the server uses, with the signal and the user', async () => {
  const sent: unknown[] = [];
  const target = resolvedTool(async (...call) => {
    sent.push(...call);
    return [1];
  });
  expect(await dispatchCall(sentTo(target, { a: 1 }), partial(caller))).toEqual([1]);
  expect(sent).toEqual(['find', { a: 1 }, caller]);
});

it('returns null for a tool without data', async () => {
  expect(await dispatchCall(sentTo(resolvedTool(async () => undefined)), partial(caller))).toBeNull();
});

it('marks errors of the connector as text of the tool', async () => {
  const refusal = new ToolwrightError('TOOL_FAILED', 'no ada@example.com here');
  const target = resolvedTool(() => Promise.reject(refusal));
  const thrown = await dispatchCall(sentTo(target), partial(caller)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(UnredactedError);
  expect(thrown).toMatchObject({ error: refusal, source: target.tool });
  expect(String(thrown)).not.toContain('ada@example.com');
});

it('rethrows defects', async () => {
  const defect = new TypeError('a bug');
  const target = resolvedTool(() => Promise.reject(defect));
  await expect(dispatchCall(sentTo(target), partial(caller))).rejects.toBe(defect);
});

it('does not send after the execution has ended', async () => {
  let sent = 0;
  const target = resolvedTool(async () => sent++);
  await expect(dispatchCall(sentTo(target), partial({ ...caller, signal: AbortSignal.abort('over') }))).rejects.toBe(
    'over',
  );
  expect(sent).toBe(0);
});
