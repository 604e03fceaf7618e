import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Task } from '../../packages/server/src/agent/task.ts';
import { openModels } from '../../packages/server/src/models/choose.ts';
import { recordingProxy } from '../fixtures/recording-proxy.ts';
import { type Desk, type DeskOptions, eventsOf, openTaskDesk, orderTool } from '../fixtures/tasks.ts';

/** The provider packages send real HTTP requests to a server with the formats of all providers. */
const mock = new LLMock({ port: 0 });
const KEY = 'sk-test-0123456789abcdef';

const CODE = 'return (await callMCPTool("desk__order", { item: "tea" })).number';
const CALL = { name: 'execute_code', arguments: JSON.stringify({ code: CODE }) };

/** The models of the providers, and the variables that point to the server. */
const PROVIDERS: Readonly<Record<string, (url: string) => Record<string, string>>> = {
  'anthropic/claude-sonnet-4-5': (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
  'openai/gpt-5': (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
  'mistral/mistral-large-latest': (url) => ({ MISTRAL_API_KEY: KEY, MISTRAL_BASE_URL: url }),
  'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0': (url) => ({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: KEY,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  }),
  'ollama/qwen3:8b': (url) => ({ OLLAMA_BASE_URL: url }),
  'openrouter/qwen/qwen3-coder': (url) => ({ OPENROUTER_API_KEY: KEY, OPENROUTER_BASE_URL: url }),
  'google/gemini-2.5-pro': (url) => ({
    GOOGLE_GENERATIVE_AI_API_KEY: KEY,
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
  }),
};
const LOOPING = Object.keys(PROVIDERS).filter((name) => !name.startsWith('google/'));

beforeAll(async () => {
  await mock.start();
});
afterAll(() => mock.stop());
beforeEach(() => {
  mock.clearFixtures();
  mock.clearRequests();
});

async function run(
  model: string,
  options: DeskOptions = {},
  limits = {},
  url = mock.url,
): Promise<{ task: Task; desk: Desk; taken: string[]; events: Awaited<ReturnType<typeof eventsOf>> }> {
  const { taken, tool } = orderTool();
  const env = PROVIDERS[model]?.(url) ?? {};
  const desk = await openTaskDesk(
    { name: 'unused', answer: () => Promise.reject(new Error('unused')) },
    {
      tools: { order: tool },
      models: openModels({ env, model }),
      ...options,
    },
  );
  try {
    const { id } = await desk.tasks.start({ task: 'Order tea.', limits });
    const task = await desk.tasks.ended(id);
    return { task, desk, taken, events: await eventsOf(desk.tasks, task) };
  } finally {
    await desk.close();
  }
}

function orderThenAnswer(): void {
  mock.on({ hasToolResult: false }, { content: 'I order.', toolCalls: [CALL] }, { chunkSize: 3 });
  mock.on({ hasToolResult: true }, { content: 'Order 1 is placed.' }, { chunkSize: 4 });
}

test.each(LOOPING)('%s streams, calls for a program, and answers from its result', async (model) => {
  orderThenAnswer();
  const { task, taken, events } = await run(model);
  expect([task.status, task.answer, task.error, taken]).toEqual([
    'completed',
    'Order 1 is placed.',
    undefined,
    ['tea'],
  ]);
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
  expect([deltas.join(''), deltas.length > 5]).toEqual(['I order.Order 1 is placed.', true]);
  expect(task.usage).toMatchObject({ steps: 2, inputTokens: expect.any(Number), outputTokens: expect.any(Number) });
  expect(task.usage.inputTokens).toBeGreaterThan(0);
  expect(JSON.stringify(events)).not.toContain(KEY);
  const [first, second, ...more] = mock.getRequests().map(({ body }) => JSON.stringify(body));
  expect([first?.includes('desk: order'), second?.includes('callMCPTool'), more]).toEqual([true, true, []]);
});

test('google/gemini-2.5-pro streams an answer, and its program runs', async () => {
  // The test server does not continue a Gemini conversation after its first tool result.
  mock.on({}, { content: 'Tea is placed.' }, { chunkSize: 4 });
  expect((await run('google/gemini-2.5-pro')).task).toMatchObject({ status: 'completed', answer: 'Tea is placed.' });
  mock.clearFixtures();
  mock.on({}, { toolCalls: [CALL] });
  const { task, taken } = await run('google/gemini-2.5-pro', {}, { steps: 2 });
  expect([task.status, task.limit, taken]).toEqual(['stopped', 'steps', ['tea']]);
});

/** Returns whether it is the first request of the task. */
function first(): () => boolean {
  let requests = 0;
  return () => requests++ === 0;
}

test.each(
  LOOPING.flatMap((model) => [
    { model, cause: '429', response: { error: { message: 'slow down' }, status: 429, retryAfter: 0 }, options: {} },
    { model, cause: '500', response: { error: { message: 'oops' }, status: 500 }, options: {} },
    {
      model,
      cause: 'a cut stream',
      response: { content: 'This is cut in the middle of it' },
      options: { chunkSize: 2, truncateAfterChunks: 3 },
    },
  ]),
)('after $cause, $model is called again, and one program runs once', async ({ model, response, options }) => {
  mock.on({ predicate: first() }, response, options);
  orderThenAnswer();
  const { task, taken, events } = await run(model, { retry: { baseMs: 1, maxMs: 5 } });
  expect([task.status, task.answer, task.error, taken]).toEqual([
    'completed',
    'Order 1 is placed.',
    undefined,
    ['tea'],
  ]);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(1);
});

test.each(['anthropic/claude-sonnet-4-5', 'openai/gpt-5', 'ollama/qwen3:8b'])(
  'when %s hangs, the request is cancelled and repeated',
  async (model) => {
    mock.on({ predicate: first() }, { content: 'never' }, { latency: 60_000 });
    orderThenAnswer();
    const { task, taken, events } = await run(model, { retry: { baseMs: 1, maxMs: 5, idleMs: 2_000 } });
    expect([task.status, task.error, taken]).toEqual(['completed', undefined, ['tea']]);
    expect(events.find(({ type }) => type === 'retry')).toMatchObject({ reason: `${model} sent nothing for 2000 ms.` });
  },
);

test('Retry-After is respected, and one beyond the end of the task ends it', async () => {
  mock.on({}, { error: { message: 'slow down' }, status: 429, retryAfter: 600 });
  const { task } = await run('anthropic/claude-sonnet-4-5', {}, { timeoutMs: 60_000 });
  expect(task).toMatchObject({
    status: 'failed',
    error: { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('leaves no time for a retry') },
  });
  expect(mock.getRequests()).toHaveLength(1);
});

test.each([
  [401, 'ACCESS_DENIED', 'Check ANTHROPIC_API_KEY.'],
  [404, 'MODEL_FAILED', 'Check the name of the model'],
  [400, 'MODEL_FAILED', 'refused the request (HTTP 400)'],
])('HTTP %i fails the task at once, with the reason and without the key', async (status, code, text) => {
  mock.on({}, { error: { message: `bad: ${KEY} and sk-ant-api03-abcdefghij` }, status });
  const { task, events } = await run('anthropic/claude-sonnet-4-5');
  expect([task.status, task.error]).toMatchObject(['failed', { code, message: expect.stringContaining(text) }]);
  expect(JSON.stringify([task, events])).not.toMatch(/sk-(test|ant)/);
  expect(mock.getRequests()).toHaveLength(1);
});

test('signed content is sent back to its provider, and cacheable content is marked', async () => {
  const signed = { reasoning: 'Tea is to be ordered.', reasoningSignature: 'c2lnbmVk' };
  mock.on({ hasToolResult: false }, { toolCalls: [CALL], ...signed });
  mock.on({ hasToolResult: true }, { content: 'Done.' });
  const proxy = await recordingProxy(mock.url);
  try {
    const { task } = await run('anthropic/claude-sonnet-4-5', {}, {}, proxy.url);
    expect([task.status, task.error]).toEqual(['completed', undefined]);
    const [first, second] = proxy.requests;
    expect([first?.path, first?.headers['x-api-key'], first?.body.stream]).toEqual(['/v1/messages', KEY, true]);
    const ephemeral = { type: 'ephemeral' };
    expect(first?.body.system).toMatchObject([{ cache_control: ephemeral }]);
    expect(first?.body.messages).toMatchObject([{ role: 'user', content: [{ cache_control: ephemeral }] }]);
    expect(first?.body.tools.map(({ name }: { name: string }) => name)).toEqual([
      'execute_code',
      'search_tools',
      'get_tool_definition',
    ]);
    expect(first?.body.tools[0].input_schema.properties).not.toHaveProperty('sessionId');
    expect(second?.body.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: signed.reasoning, signature: signed.reasoningSignature },
          { type: 'tool_use', name: 'execute_code', input: { code: CODE } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', content: '1', cache_control: ephemeral }] },
    ]);
  } finally {
    await proxy.close();
  }
});

test('OpenAI receives the setting to store nothing', async () => {
  orderThenAnswer();
  const proxy = await recordingProxy(mock.url);
  try {
    expect((await run('openai/gpt-5', {}, {}, proxy.url)).task.status).toBe('completed');
    expect(proxy.requests.map(({ path, body }) => [path, body.store])).toEqual([
      ['/v1/responses', false],
      ['/v1/responses', false],
    ]);
  } finally {
    await proxy.close();
  }
});
