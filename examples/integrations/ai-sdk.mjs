// The Vercel AI SDK. The model is a script: replace it by a model of a provider.
import assert from 'node:assert/strict';
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { codePrompt, codeTools, toolServer } from 'toolwright/ai-sdk';
import * as z from 'zod';
import { approvalIdIn, CONVERT, LOOK, openShop, PHOTO, REFUND, refunds, SUM } from './shop.mjs';

const convert = tool({
  description: 'Converts euros to dollars',
  inputSchema: z.object({ euros: z.number() }),
  execute: async ({ euros }) => ({ dollars: euros * 2 }),
});
const toolwright = await openShop(await toolServer({ convert }));
const tools = codeTools(toolwright);
const system = await codePrompt(toolwright);

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const calls = (toolName, input) => ({
  content: [{ type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) }],
  ...{ finishReason: { unified: 'tool-calls' }, usage, warnings: [] },
});
const says = (text) => ({
  content: [{ type: 'text', text }],
  ...{ finishReason: { unified: 'stop' }, usage, warnings: [] },
});
/** A model that calls one tool, and then repeats the answer of the last tool. */
const scripted = (...steps) =>
  new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      const last = results.findLast(({ type }) => type === 'tool-result')?.output.value;
      const step = steps.shift();
      return step ? step(last) : says(String(last));
    },
  });
const run = (code) => scripted(() => calls('execute_code', { code }));

const stopWhen = stepCountIs(5);
const sum = await generateText({
  model: run(SUM),
  tools,
  system,
  stopWhen,
  prompt: 'What is the total of all orders?',
});
assert.equal(sum.text, '55');
const dollars = await generateText({ model: run(CONVERT), tools, system, stopWhen, prompt: 'In dollars?' });
assert.equal(dollars.text, '{"dollars":110}');

// The model sees the images of a program.
let seen;
const looking = scripted(
  () => calls('execute_code', { code: LOOK }),
  (output) => {
    seen = output;
    return says('I see it.');
  },
);
await generateText({ model: looking, tools, system, stopWhen, prompt: 'Is the shelf full?' });
assert.deepEqual([seen[0].type, seen[1]], ['text', { type: 'image-data', data: PHOTO, mediaType: 'image/png' }]);

// The program waits, the model asks for the approval, and the user gives it.
const model = scripted(
  () => calls('execute_code', { code: REFUND }),
  (answer) => calls('continue_execution', { approvalId: approvalIdIn(answer) }),
);
const messages = [{ role: 'user', content: 'Refund the returned orders.' }];
const asked = await generateText({ model, tools, system, stopWhen, messages });
const request = asked.content.find(({ type }) => type === 'tool-approval-request');
assert.equal(request.toolCall.toolName, 'continue_execution');
assert.deepEqual(refunds, []);
const response = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true };
const decided = [...messages, ...asked.response.messages, { role: 'tool', content: [response] }];
const done = await generateText({ model, tools, system, stopWhen, messages: decided });
assert.equal(done.text, '[{"refunded":"A-17"}]');
assert.deepEqual(refunds, ['A-17']);
await toolwright.close();
