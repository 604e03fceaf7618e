import { createToolwright } from '@toolwright/core';
import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { type CodeToolOutput, codeTools, toolServer } from './ai-sdk.ts';

const sent: unknown[] = [];
const send = tool({
  description: 'Sends a mail',
  inputSchema: z.object({ to: z.string(), copies: z.number().default(1) }),
  execute: async (input) => sent.push(input),
});
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const photo = tool({
  inputSchema: z.object({}),
  execute: async () => ({ type: 'image', mimeType: 'image/png', data: PNG }),
});
const toolwright = await createToolwright({
  sandbox: warmQuickjs(),
  tools: { mail: await toolServer({ send, photo }) },
  policy: { rules: [{ tools: 'mail__send', action: 'ask' }] },
  waits: { graceMs: 0 },
});
afterAll(() => toolwright.close());

const call = { toolCallId: 'call-1', messages: [] };
const streamOf = (output: unknown) => output as AsyncIterable<CodeToolOutput>;
const SEND = `return callMCPTool('mail__send', { to: 'ann' })`;

test('a loop that ignores needsApproval sends nothing', async () => {
  const { execute_code: execute, continue_execution: next } = codeTools(toolwright);
  const waiting = await execute?.execute?.({ code: SEND }, call);
  const approvalId = waiting?.pending.approvalId;
  expect(next?.needsApproval).toBe(true);
  const request = { type: 'tool-approval-request' as const, approvalId: 'r', toolCallId: 'call-1' };
  const response = { type: 'tool-approval-response' as const, approvalId: 'r' };
  const ask = { role: 'assistant' as const, content: [request] };
  for (const messages of [
    [],
    [ask],
    [ask, { role: 'tool' as const, content: [{ ...response, approved: false }] }],
    [ask, { role: 'tool' as const, content: [{ ...response, approvalId: 'other', approved: true }] }],
    [{ role: 'tool' as const, content: [{ ...response, approved: true }] }],
  ]) {
    const running = async () => next?.execute?.({ approvalId }, { ...call, messages });
    await expect(running()).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  }
  expect(sent).toEqual([]);
  const messages = [ask, { role: 'tool' as const, content: [{ ...response, approved: true }] }];
  await next?.execute?.({ approvalId }, { ...call, messages });
  expect(sent).toEqual([{ to: 'ann', copies: 1 }]);
});

test('the model reads the text of an answer, and a failed one as an error', async () => {
  const { execute_code: execute } = codeTools(toolwright);
  const output = (code: string) => execute?.execute?.({ code }, call);
  const shown = async (code: string) =>
    execute?.toModelOutput?.({ ...call, input: { code }, output: await output(code) });
  expect(await shown('return [1, 2]')).toEqual({ type: 'text', value: '[1,2]' });
  expect(await shown('throw new Error("no stock")')).toMatchObject({
    type: 'error-text',
    value: expect.stringContaining('no stock'),
  });
});

test('the model sees the images that a program returns', async () => {
  const { execute_code: execute } = codeTools(toolwright);
  const code = `return { photo: await callMCPTool('mail__photo', {}) }`;
  const output = await execute?.execute?.({ code }, call);
  expect(await execute?.toModelOutput?.({ ...call, input: { code }, output })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: expect.stringMatching(/^\{"photo":\{"type":"image",.*"path":"\/workspace\/results\//) },
      { type: 'image-data', data: PNG, mediaType: 'image/png' },
    ],
  });
});

test('a running program has preliminary results with its steps, and its answer has the cost', async () => {
  const { execute_code: execute } = codeTools(toolwright);
  const code = `progress('half'); await servers.mail.photo({}); return 1`;
  const outputs: CodeToolOutput[] = [];
  for await (const output of streamOf(execute?.execute?.({ code }, call))) outputs.push(output);
  const steps = outputs.slice(0, -1).at(-1)?.steps;
  expect(steps).toEqual([
    { type: 'progress', value: 'half' },
    { type: 'call', tool: 'mail__photo' },
  ]);
  expect(outputs.at(-1)).toMatchObject({
    text: '1',
    execution: { status: 'completed', calls: [{ tool: 'mail__photo' }], stats: { tokens: { output: 1 } } },
  });
});

test('generateText reads the last output of the stream', async () => {
  const tools = codeTools(toolwright);
  const usage = { inputTokens: {}, outputTokens: {} };
  const steps = [
    { type: 'tool-call', toolCallId: '1', toolName: 'execute_code', input: JSON.stringify({ code: 'return 6 * 7' }) },
    { type: 'text', text: 'done' },
  ];
  const model = {
    ...{ specificationVersion: 'v3', provider: 'test', modelId: 'scripted', supportedUrls: {} },
    doGenerate: async () => ({
      ...{ content: [steps.shift()], usage, warnings: [] },
      finishReason: { unified: steps.length === 1 ? 'tool-calls' : 'stop' },
    }),
  } as unknown as LanguageModel;
  const { steps: done } = await generateText({ model, tools, prompt: 'Compute', stopWhen: stepCountIs(2) });
  expect(done[0]?.toolResults[0]?.output).toMatchObject({ text: '42' });
});

test('a failed execution of the tool rejects the stream', async () => {
  const { execute_code: execute } = codeTools(toolwright, { sessionId: 'unknown' });
  const read = async () => {
    for await (const _output of streamOf(execute?.execute?.({ code: 'return 1' }, call)));
  };
  await expect(read()).rejects.toMatchObject({ code: 'UNKNOWN_SESSION' });
});

test('a tool without execute is refused', async () => {
  const clientTool = tool({ inputSchema: z.object({}), outputSchema: z.string() });
  await expect(toolServer({ clientTool })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
