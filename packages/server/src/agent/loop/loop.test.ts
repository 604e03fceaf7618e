import { describe, expect, test } from 'vitest';
import { orderTool, taskDesks } from '../../../../../test/fixtures/tasks.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../models/model.ts';
import { scriptedModel } from '../../models/scripted.ts';

const open = taskDesks();
const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };

/** Creates a model with fixed answers. `asked` records its requests. */
function answering(answers: readonly (Partial<ModelAnswer> & { text: string })[]): {
  model: Model;
  asked: ModelRequest[];
} {
  const asked: ModelRequest[] = [];
  const model: Model = {
    name: 'test/x',
    async answer(request) {
      asked.push(request);
      const { text, ...rest } = answers[asked.length - 1] ?? { text: 'none left' };
      return { message: { role: 'assistant', text, calls: [] }, end: 'stop', usage, ...rest };
    },
  };
  return { model, asked };
}

async function runTask(model: Model, options = {}) {
  const desk = await open(model, options);
  return desk.tasks.ended((await desk.tasks.start({ task: 'x' })).id);
}

describe('an answer', () => {
  test('that was cut off at the length limit is continued and joined', async () => {
    const { model, asked } = answering([
      { text: 'one, ', end: 'length' },
      { text: 'two, ', end: 'length' },
      { text: 'three' },
    ]);
    expect((await runTask(model)).answer).toBe('one, two, three');
    expect(asked[1]?.messages.at(-1)).toMatchObject({
      role: 'user',
      text: expect.stringContaining('cut your answer off'),
    });
  });

  test('that is empty is requested again', async () => {
    const { model, asked } = answering([{ text: ' ' }, { text: 'words' }]);
    expect([(await runTask(model)).answer, asked.length]).toEqual(['words', 2]);
  });

  test('that the content filter blocked fails the task', async () => {
    const { model } = answering([{ text: '', end: 'refused' }]);
    expect(await runTask(model)).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } });
  });

  test('with too many calls fails the task, and none of them runs', async () => {
    const order = orderTool();
    const calls = Array.from({ length: 101 }, (_, index) => ({
      id: `${index}`,
      tool: 'execute_code',
      input: { code: 'return callMCPTool("desk__order")' },
    }));
    const model: Model = {
      name: 'test/many',
      answer: async () => ({ message: { role: 'assistant', text: '', calls }, end: 'calls', usage }),
    };
    const ended = await runTask(model, { tools: { order: order.tool } });
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } });
    expect([order.taken.length, ended.executions.length]).toEqual([0, 0]);
  });

  test('without usage is counted by Toolwright, and has no cost without a price', async () => {
    const model: Model = {
      name: 'test/uncounted',
      answer: async () => ({ message: { role: 'assistant', text: 'four words in all', calls: [] }, end: 'stop' }),
    };
    const { usage } = await runTask(model);
    expect([usage.inputTokens > 0, usage.outputTokens > 3, usage.costUsd]).toEqual([true, true, undefined]);
  });
});

describe('a call', () => {
  test('for tool definitions is answered from the catalog, in the language of the task', async () => {
    const seen: string[] = [];
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') {
        seen.push(...messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])));
        return { text: 'done' };
      }
      return {
        calls: [
          { tool: 'search_tools', input: { query: 'take an order', limit: null } },
          { tool: 'get_tool_definition', input: { name: 'desk__order' } },
          { tool: 'get_tool_definition', input: { name: 'desk__odrer' } },
          { tool: 'search_tools', input: {} },
          { tool: 'execute_code', input: { code: 7 } },
        ],
      };
    });
    await runTask(model, { tools: { order: orderTool().tool } });
    expect(seen).toEqual([
      expect.stringContaining('servers.desk.order('),
      expect.stringMatching(/Takes an order[\s\S]*item: string/),
      expect.stringContaining('desk__order'),
      expect.stringContaining('INVALID_ARGUMENTS: search_tools: "query" is missing.'),
      'INVALID_ARGUMENTS: execute_code: "code" must be a text, not 7.',
    ]);
  });
});
