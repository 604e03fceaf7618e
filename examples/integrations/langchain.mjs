// LangChain and LangGraph. The model is a script: replace it by `model: 'anthropic:claude-sonnet-4-5'` or another one.
import assert from 'node:assert/strict';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { Command, MemorySaver } from '@langchain/langgraph';
import { AIMessage, createAgent, tool } from 'langchain';
import { codePrompt, codeTools, toolServer } from 'toolwright/langchain';
import * as z from 'zod';
import { approvalIdIn, CONVERT, LOOK, openShop, PHOTO, REFUND, refunds, SUM } from './shop.mjs';

const convert = tool(async ({ euros }) => JSON.stringify({ dollars: euros * 2 }), {
  name: 'convert',
  description: 'Converts euros to dollars',
  schema: z.object({ euros: z.number() }),
});
const toolwright = await openShop(toolServer([convert]));

/** A model that calls the tools of the steps, and then repeats the answer of the last tool. */
class ScriptedModel extends BaseChatModel {
  constructor(...steps) {
    super({});
    this.steps = steps;
  }
  _llmType() {
    return 'script';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const last = messages.findLast(({ type }) => type === 'tool')?.content;
    const step = this.steps.shift();
    const message = step ? step(last) : new AIMessage(String(last));
    return { generations: [{ text: '', message }] };
  }
}
const calls = (name, args) => new AIMessage({ content: '', tool_calls: [{ name, args, id: `call-${name}` }] });
const agentOf = async (...steps) =>
  createAgent({
    model: new ScriptedModel(...steps),
    tools: codeTools(toolwright),
    systemPrompt: await codePrompt(toolwright),
    checkpointer: new MemorySaver(),
  });
const answerOf = ({ messages }) => messages.at(-1).content;
const ask = (content) => ({ messages: [{ role: 'user', content }] });
const thread = { configurable: { thread_id: '1' } };

const summing = await agentOf(() => calls('execute_code', { code: SUM }));
assert.equal(answerOf(await summing.invoke(ask('What is the total of all orders?'), thread)), '55');
const converting = await agentOf(() => calls('execute_code', { code: CONVERT }));
assert.equal(answerOf(await converting.invoke(ask('In dollars?'), thread)), '{"dollars":110}');

// The model sees the images of a program.
let seen;
const looking = await agentOf(
  () => calls('execute_code', { code: LOOK }),
  (content) => {
    seen = content;
    return new AIMessage('I see it.');
  },
);
await looking.invoke(ask('Is the shelf full?'), { configurable: { thread_id: '2' } });
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${PHOTO}` } };
assert.deepEqual([seen[0].type, seen[1]], ['text', image]);

// The program waits, the graph is interrupted, and the decision of the user resumes it.
const agent = await agentOf(
  () => calls('execute_code', { code: REFUND }),
  (answer) => calls('continue_execution', { approvalId: approvalIdIn(answer) }),
);
const asked = await agent.invoke(ask('Refund the returned orders.'), thread);
const [{ value: pending }] = asked.__interrupt__;
assert.deepEqual(
  pending.calls.map(({ tool: name, arguments: args }) => [name, args]),
  [['shop__refund', { order: 'A-17' }]],
);
assert.deepEqual(refunds, []);
const done = await agent.invoke(new Command({ resume: { isApproved: true, by: 'ann' } }), thread);
assert.equal(answerOf(done), '[{"refunded":"A-17"}]');
assert.deepEqual(refunds, ['A-17']);
await toolwright.close();
