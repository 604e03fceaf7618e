import { LLMock } from '@copilotkit/aimock';
import { modelCases, modelCasesFor, type ProviderReply, runModelCase } from '@toolwright/conformance/model';
import { ToolwrightError } from '@toolwright/core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Model } from './model.ts';
import { openaiCompatibleModel } from './openai-compatible.ts';
import { type ScriptedStep, scriptedModel } from './scripted.ts';

describe('the scripted model', () => {
  /** A script has no provider, so it cannot reply with an error, a cut stream or silence. */
  const fixture = {
    cannot: ['error', 'cut', 'silence'] as const,
    open: (replies: readonly ProviderReply[]) => {
      const steps = replies.map((reply): ScriptedStep => {
        if (reply.kind === 'text') return { text: reply.text };
        if (reply.kind === 'calls') return { calls: reply.calls };
        throw new Error(`The scripted model cannot reply with ${reply.kind}.`);
      });
      return scriptedModel(() => steps.shift() ?? {});
    },
  };
  it.for(modelCasesFor(fixture))('$name', (testCase) => runModelCase(fixture, testCase));
});

describe('a model of the AI SDK', () => {
  const mock = new LLMock({ port: 0 });
  beforeAll(async () => void (await mock.start()));
  afterAll(() => mock.stop());
  const fixture = {
    open(replies: readonly ProviderReply[]): Promise<Model> {
      mock.clearFixtures();
      mock.clearRequests();
      for (const [index, reply] of replies.entries()) {
        const [response, options] = mockReply(reply);
        mock.on({ predicate: () => mock.getRequests().length === index }, response, options);
      }
      return openaiCompatibleModel({
        provider: 'mock',
        name: 'model',
        baseUrl: mock.url,
        apiKey: 'sk-test-0123456789',
      });
    },
  };
  it.for(modelCases)('$name', (testCase) => runModelCase(fixture, testCase));
});

type MockArguments = Parameters<LLMock['on']>;

function mockReply(reply: ProviderReply): [MockArguments[1], MockArguments[2]] {
  switch (reply.kind) {
    case 'text':
      return [{ content: reply.text }, { chunkSize: Math.max(3, reply.text.length / 20) }];
    case 'calls':
      return [
        { toolCalls: reply.calls.map(({ tool, input }) => ({ name: tool, arguments: JSON.stringify(input) })) },
        {},
      ];
    case 'error': {
      const { status, retryAfterSeconds: retryAfter } = reply;
      return [{ error: { message: 'refused' }, status, ...(retryAfter === undefined ? {} : { retryAfter }) }, {}];
    }
    case 'cut':
      return [{ content: 'This is cut in the middle of it' }, { chunkSize: 2, truncateAfterChunks: 3 }];
    case 'silence':
      return [{ content: 'never' }, { latency: 60_000 }];
  }
}

test.each<[string, Model['answer']]>([
  ['onText receives the text of the answer in order', async () => ({ message: message('other'), end: 'stop' })],
  ['HTTP 401 raises ACCESS_DENIED', () => Promise.reject(new ToolwrightError('MODEL_FAILED', 'HTTP 401'))],
  [
    'a request that is aborted before it starts raises the reason of the signal',
    async () => ({ message: message('Tea is placed.'), end: 'stop' }),
  ],
])('a broken model fails with the rule: %s', async (rule, answer) => {
  const testCase = modelCases.find(({ name }) => name === rule);
  if (!testCase) throw new Error(`There is no rule ${rule}.`);
  const broken = runModelCase({ open: () => ({ name: 'broken/model', answer }) }, testCase);
  await expect(broken).rejects.toThrow(rule);
});

function message(text: string) {
  return { role: 'assistant' as const, text, calls: [] };
}
