// LlamaIndex over MCP: it starts "toolwright mcp". The model is a script: replace it by a model of a provider.
import assert from 'node:assert/strict';
import { mcp } from '@llamaindex/tools';
import { agent } from '@llamaindex/workflow';
import { ToolCallLLM } from 'llamaindex';

const server = mcp({ command: 'npx', args: ['toolwright', 'mcp', '--config', 'toolwright.json'] });
const tools = await server.tools();
assert.deepEqual(tools.map(({ metadata }) => metadata.name).sort(), ['execute_code', 'search_tools']);

/** A model that calls one tool, and then repeats its answer. */
class ScriptedModel extends ToolCallLLM {
  supportToolCall = true;
  metadata = { model: 'script', temperature: 0, topP: 1, contextWindow: 8_000, structuredOutput: false };
  constructor(code) {
    super();
    this.input = { code };
  }
  async chat({ messages, stream }) {
    const answer = messages.findLast(({ options }) => options && 'toolResult' in options);
    const call = { toolCall: [{ id: 'call-1', name: 'execute_code', input: this.input }] };
    const message = answer
      ? { content: answer.options.toolResult.result, options: {} }
      : { content: '', options: call };
    if (!stream) return { message: { role: 'assistant', ...message }, raw: null };
    return (async function* () {
      yield { delta: message.content, options: message.options, raw: null };
    })();
  }
}

const { data } = await agent({ llm: new ScriptedModel('return 6 * 7'), tools }).run('What is six times seven?');
assert.match(data.result, /text: 42\b/);
await server.cleanup();
