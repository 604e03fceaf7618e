// The OpenAI Agents SDK, with tools as functions and over MCP. The model is a script: leave it out for OpenAI's models.
import assert from 'node:assert/strict';
import { Agent, MCPServerStdio, Runner, setTracingDisabled, tool, Usage } from '@openai/agents';
import { codePrompt, codeTools, toolServer } from 'toolwright/openai-agents';
import * as z from 'zod';
import { approvalIdIn, CONVERT, LOOK, openShop, PHOTO, REFUND, refunds, SUM } from './shop.mjs';

setTracingDisabled(true);
const convert = tool({
  name: 'convert',
  description: 'Converts euros to dollars',
  parameters: z.object({ euros: z.number() }),
  execute: async ({ euros }) => ({ dollars: euros * 2 }),
});
const toolwright = await openShop(toolServer([convert]));

/** A model that calls the tools of the steps, and then repeats the answer of the last tool. */
const scripted = (...steps) => ({
  async getResponse({ input }) {
    // A tool of a server answers with a list of blocks, a function with one.
    const [last] = [input.findLast?.(({ type }) => type === 'function_call_result')?.output].flat();
    const text = typeof last === 'string' ? last : last?.text;
    const step = steps.shift();
    const message = {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text }],
    };
    return { usage: new Usage(), output: [step ? step(text) : message] };
  },
});
const calls = (name, args) => ({
  ...{ type: 'function_call', status: 'completed', callId: `call-${name}`, name },
  arguments: JSON.stringify(args),
});
const agentOf = async (...steps) =>
  new Agent({
    name: 'Shop',
    model: scripted(...steps),
    tools: codeTools(toolwright),
    instructions: await codePrompt(toolwright),
  });
const runner = new Runner();

const summing = await agentOf(() => calls('execute_code', { code: SUM }));
assert.equal((await runner.run(summing, 'What is the total of all orders?')).finalOutput, '55');
const converting = await agentOf(() => calls('execute_code', { code: CONVERT }));
assert.equal((await runner.run(converting, 'In dollars?')).finalOutput, '{"dollars":110}');

// The model sees the images of a program.
let seen;
const lookingModel = {
  async getResponse({ input }) {
    seen = input.findLast?.(({ type }) => type === 'function_call_result')?.output ?? [];
    const text = { type: 'output_text', text: 'I see it.' };
    const said = { type: 'message', role: 'assistant', status: 'completed', content: [text] };
    return { usage: new Usage(), output: [seen.length > 0 ? said : calls('execute_code', { code: LOOK })] };
  },
};
const looking = new Agent({ name: 'Shop', model: lookingModel, tools: codeTools(toolwright) });
await runner.run(looking, 'Is the shelf full?');
assert.equal(seen[1].image, `data:image/png;base64,${PHOTO}`);

// The program waits, the run is interrupted, and the user approves.
const agent = await agentOf(
  () => calls('execute_code', { code: REFUND }),
  (answer) => calls('continue_execution', { approvalId: approvalIdIn(answer) }),
);
const asked = await runner.run(agent, 'Refund the returned orders.');
const [interruption] = asked.interruptions;
assert.equal(interruption.rawItem.name, 'continue_execution');
assert.deepEqual(refunds, []);
asked.state.approve(interruption);
const done = await runner.run(agent, asked.state);
assert.equal(done.finalOutput, '[{"refunded":"A-17"}]');
assert.deepEqual(refunds, ['A-17']);
await toolwright.close();

// The same over MCP: the servers of toolwright.json, in a process of their own.
const args = ['toolwright', 'mcp', '--config', 'toolwright.json'];
const server = new MCPServerStdio({ name: 'toolwright', command: 'npx', args, clientSessionTimeoutSeconds: 60 });
await server.connect();
const overMcp = new Agent({
  name: 'Shop',
  model: scripted(() => calls('execute_code', { code: 'return 6 * 7' })),
  mcpServers: [server],
});
assert.equal((await runner.run(overMcp, 'What is six times seven?')).finalOutput, '42');
await server.close();
