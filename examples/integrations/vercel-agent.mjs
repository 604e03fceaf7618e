// The agent loop of the Vercel AI SDK. Calls of programs arrive as events. The model is a script: replace it by a model of a provider.
import assert from 'node:assert/strict';
import { simulateReadableStream, ToolLoopAgent } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { codePrompt, codeTools } from 'toolwright/ai-sdk';
import { openShop, SUM } from './shop.mjs';

const toolwright = await openShop();
const events = [];

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const streamed = (reason, ...parts) => ({
  stream: simulateReadableStream({
    chunks: [
      { type: 'stream-start', warnings: [] },
      ...parts,
      { type: 'finish', finishReason: { unified: reason }, usage },
    ],
  }),
});
/** A model that runs one program, and then repeats its answer. */
const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const answer = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))[0]?.output.value;
    if (answer === undefined) {
      const call = { toolCallId: 'call-1', toolName: 'execute_code', input: JSON.stringify({ code: SUM }) };
      return streamed('tool-calls', { type: 'tool-call', ...call });
    }
    const id = 'text-1';
    return streamed(
      'stop',
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: String(answer) },
      { type: 'text-end', id },
    );
  },
});

const agent = new ToolLoopAgent({
  model,
  instructions: await codePrompt(toolwright),
  tools: codeTools(toolwright, { onProgress: (event) => events.push(event) }),
});
const { textStream, text } = await agent.stream({ prompt: 'What is the total of all orders?' });
let shown = '';
for await (const part of textStream) shown += part;
assert.deepEqual([shown, await text], ['55', '55']);
assert.ok(events.some(({ type, tool }) => type === 'call' && tool === 'shop__orders'));
await toolwright.close();
