// Mastra. The model is a script: replace it by `model: 'anthropic/claude-sonnet-4-5'` or another one.
import assert from 'node:assert/strict';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MockLanguageModelV3 } from 'ai/test';
import { codePrompt, codeTools, toolServer } from 'toolwright/mastra';
import * as z from 'zod';
import { approvalIdIn, CONVERT, LOOK, openShop, PHOTO, REFUND, refunds, SUM } from './shop.mjs';

const convert = createTool({
  id: 'convert',
  description: 'Converts euros to dollars',
  inputSchema: z.object({ euros: z.number() }),
  execute: async ({ euros }) => ({ dollars: euros * 2 }),
});
const toolwright = await openShop(toolServer({ convert }));

/** A model that calls the tools of the steps, and then repeats the answer of the last tool. */
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const scripted = (...steps) =>
  new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
      const last = results.findLast(({ type }) => type === 'tool-result')?.output.value;
      const text = typeof last === 'string' ? last : JSON.stringify(last);
      const step = steps.shift();
      const content = [step ? step(text) : { type: 'text', text }];
      return { content, finishReason: { unified: step ? 'tool-calls' : 'stop' }, usage, warnings: [] };
    },
  });
const calls = (toolName, input) => ({
  ...{ type: 'tool-call', toolCallId: `call-${toolName}`, toolName },
  input: JSON.stringify(input),
});
const agentOf = async (...steps) => {
  const agent = new Agent({
    ...{ id: 'shop', name: 'Shop' },
    model: scripted(...steps),
    tools: codeTools(toolwright),
    instructions: await codePrompt(toolwright),
  });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  return agent;
};

const summing = await agentOf(() => calls('execute_code', { code: SUM }));
assert.equal((await summing.generate('What is the total of all orders?')).text, '55');
const converting = await agentOf(() => calls('execute_code', { code: CONVERT }));
assert.equal((await converting.generate('In dollars?')).text, '{"dollars":110}');

// The model sees the images of a program.
let seen;
const looking = await agentOf(
  () => calls('execute_code', { code: LOOK }),
  (output) => {
    seen = output;
    return { type: 'text', text: 'I see it.' };
  },
);
await looking.generate('Is the shelf full?');
assert.ok(seen.startsWith('[{"type":"text"') && seen.includes(PHOTO), seen);

// The program waits, the tool is suspended, and the decision of the user resumes it.
const agent = await agentOf(
  () => calls('execute_code', { code: REFUND }),
  (answer) => calls('continue_execution', { approvalId: approvalIdIn(answer) }),
);
const asked = await agent.generate('Refund the returned orders.');
assert.equal(asked.finishReason, 'suspended');
const [{ arguments: args }] = asked.suspendPayload.suspendPayload.calls;
assert.deepEqual([args, refunds], [{ order: 'A-17' }, []]);
const done = await agent.resumeGenerate({ isApproved: true, by: 'ann' }, { runId: asked.runId });
assert.equal(done.text, '[{"refunded":"A-17"}]');
assert.deepEqual(refunds, ['A-17']);
await toolwright.close();
