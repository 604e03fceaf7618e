import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from '@toolwright/core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { warmQuickjs } from '../../../test/fixtures/warm-sandbox.ts';
import { type CodeProgress, createCodeTools } from './code-tools.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-test-'));
const sent: unknown[] = [];
const toolwright = await createToolwright({
  dataDir,
  sandbox: warmQuickjs(),
  tools: {
    mail: {
      tools: {
        contact: { annotations: { readOnlyHint: true }, run: () => ({ email: 'ada@lovelace.org' }) },
        send: { run: (message) => sent.push(message) },
      },
    },
  },
  policy: { preset: 'careful' },
  waits: { graceMs: 0 },
});
afterAll(async () => {
  await toolwright.close();
  rmSync(dataDir, { recursive: true });
});
beforeEach(() => void sent.splice(0));

const tools = createCodeTools(toolwright, { userId: 'ann' });
const SEND = `const { email } = await callMCPTool('mail__contact', {});
await callMCPTool('mail__send', { to: email });
return 'sent';`;
const waitingCall = async (code = SEND) => {
  const { text, pending } = await tools.call('execute_code', { code });
  expect(text).toContain(`Call continue_execution with approvalId "${pending?.approvalId}"`);
  return pending?.approvalId ?? '';
};

describe('calls of a model', () => {
  test('run programs and search tools', async () => {
    expect(await tools.call('execute_code', { code: 'return 6 * 7' })).toMatchObject({
      text: '42',
      isError: false,
      execution: { stats: { tokens: { output: 1 } } },
    });
    expect((await tools.call('search_tools', { query: 'send mail' })).text).toContain('servers.mail.send(');
    expect((await tools.call('get_tool_definition', { name: 'mail__send' })).text).toContain('mail__send');
  });

  test.each([
    ['execute_code', { code: 'return callMCPTool("mail__snd", {})' }, 'mail__send'],
    ['execute_code', { code: '' }, 'Send a program'],
    ['get_tool_definition', { name: 'mail__snd' }, 'mail__send'],
    ['read_file', {}, 'There is no tool "read_file" here'],
    ['search_tools', null, '"query" is missing'],
    ['mail__send', { to: 'a' }, 'return await callMCPTool("mail__send", {"to":"a"})'],
  ])('answer mistakes of %s with the fix', async (tool, input, fix) => {
    const { text, isError } = await tools.call(tool, input);
    expect([isError, text]).toEqual([true, expect.stringContaining(fix)]);
  });

  test('report the calls and the progress of their programs', async () => {
    const all: CodeProgress[] = [];
    const own: CodeProgress[] = [];
    const reporting = createCodeTools(toolwright, { userId: 'ann', onProgress: (step) => all.push(step) });
    const code = `progress('half'); return callMCPTool('mail__contact', {})`;
    await reporting.call('execute_code', { code }, { onProgress: (step) => own.push(step) });
    expect(own).toEqual([
      { type: 'progress', value: 'half' },
      { type: 'call', tool: 'mail__contact' },
    ]);
    expect(all).toEqual(own);
  });

  test('receive placeholders', async () => {
    const { text } = await tools.call('execute_code', { code: `return callMCPTool('mail__contact', {})` });
    expect(text).toContain('{"email":"[EMAIL_1]"}');
  });

  test('have the instructions and the definitions', async () => {
    expect(await tools.instructions()).toContain('mail');
    const names = (canContinue: boolean) =>
      createCodeTools(toolwright, { canContinue }).definitions.map(({ name }) => name);
    expect(names(false)).toEqual(['execute_code', 'search_tools', 'get_tool_definition']);
    expect(names(true)).toEqual([...names(false), 'continue_execution']);
  });
});

describe('approvals', () => {
  test('send a call once, after the decision of a person', async () => {
    const approvalId = await waitingCall();
    expect(sent).toEqual([]);
    const answer = await tools.decide(approvalId, { isApproved: true, by: 'ann' });
    expect([answer, sent]).toMatchObject([{ text: 'sent', isError: false }, [{ to: 'ada@lovelace.org' }]]);
    expect(await tools.decide(approvalId, { isApproved: true })).toMatchObject({ isError: true });
    expect(sent).toHaveLength(1);
  });

  test('throw in the program after a denial', async () => {
    const answer = await tools.decide(await waitingCall(), () => ({ isApproved: false, note: 'Not to Ada.' }));
    expect([answer.isError, answer.text, sent]).toEqual([true, expect.stringContaining('Not to Ada.'), []]);
  });

  test('are never made by a call of a model', async () => {
    const approvalId = await waitingCall();
    await expect(tools.call('continue_execution', { approvalId })).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    expect(sent).toEqual([]);
  });

  test('show personal data to a person only', async () => {
    const approvalId = await waitingCall();
    const [shown, real] = await Promise.all([
      tools.approval(approvalId),
      tools.approval(approvalId, { arguments: 'real' }),
    ]);
    expect([shown.calls[0]?.arguments, real.calls[0]?.arguments]).toEqual([
      { to: '[EMAIL_1]' },
      { to: 'ada@lovelace.org' },
    ]);
  });

  test('hold for the shown calls only', async () => {
    const first = await waitingCall(`for (const to of ['a', 'b']) await callMCPTool('mail__send', { to });`);
    const { pending } = await tools.decide(first, { isApproved: true });
    expect(sent).toEqual([{ to: 'a' }]);
    const stale = await tools.decide(first, { isApproved: true });
    expect([stale.isError, stale.text, sent]).toEqual([
      true,
      expect.stringContaining('do not wait any more'),
      [{ to: 'a' }],
    ]);
    await tools.decide(pending?.approvalId, { isApproved: true });
    expect(sent).toEqual([{ to: 'a' }, { to: 'b' }]);
  });

  test('belong to one user', async () => {
    const approvalId = await waitingCall();
    const others = createCodeTools(toolwright, { userId: 'bob' });
    expect(await others.decide(approvalId, { isApproved: true })).toMatchObject({ isError: true });
    await expect(others.approval(approvalId)).rejects.toMatchObject({ code: 'UNKNOWN_EXECUTION' });
    expect(sent).toEqual([]);
  });

  test.each(['', 'x', undefined, 7])('with the id %j do not exist', async (approvalId) => {
    expect(await tools.decide(approvalId, { isApproved: true })).toMatchObject({ isError: true });
  });
});
