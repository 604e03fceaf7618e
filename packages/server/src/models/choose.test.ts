import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failureOf, temporaryFile } from '../../../../test/fixtures/server.ts';
import { openModels } from './choose.ts';

const AWS = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id' };

test.each([
  [undefined, {}, 'No model is configured. Set LLM_MODEL, for instance LLM_MODEL=anthropic/'],
  ['claude', {}, 'The name of a model is provider/name, for instance anthropic/claude-sonnet-4-5, not "claude".'],
  ['acme/x', {}, 'Unknown model provider "acme". The providers are: anthropic, openai, google, mistral, bedrock,'],
  ['constructor/x', {}, 'Unknown model provider "constructor".'],
  ['anthropic/x', {}, 'anthropic/x needs the environment variable ANTHROPIC_API_KEY, which is not set.'],
  ['anthropic/x', { ANTHROPIC_API_KEY: '' }, 'ANTHROPIC_API_KEY, which is not set.'],
  ['openai/x', {}, 'OPENAI_API_KEY'],
  ['google/x', {}, 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['mistral/x', {}, 'MISTRAL_API_KEY'],
  ['bedrock/x', {}, 'AWS_REGION'],
  ['bedrock/x', AWS, 'AWS_SECRET_ACCESS_KEY'],
  ['openrouter/x', {}, 'OPENROUTER_API_KEY'],
  ['openai-compatible/x', {}, 'OPENAI_COMPATIBLE_BASE_URL'],
])('%s with %o: the error names the fix', async (name, env, message) => {
  const { code, message: reported } = await failureOf(openModels({ env })(name));
  expect([code, reported]).toEqual(['CONFIG_INVALID', expect.stringContaining(message)]);
});

test('LLM_MODEL is the default model, and prices are found by name, also for dated versions', async () => {
  const env = { LLM_MODEL: 'ollama/qwen3', ANTHROPIC_API_KEY: 'key', OPENAI_API_KEY: 'key' };
  const open = openModels({ env, prices: { 'openai/gpt-9': { input: 7, output: 8 } } });
  const names = [
    undefined,
    'anthropic/claude-sonnet-4-5-20250929',
    'openai/gpt-5-2025-08-07',
    'openai/unknown',
    'openai/gpt-9',
  ];
  const models = await Promise.all(names.map((name) => open(name)));
  expect(models.map(({ name, price }) => [name, price?.input])).toEqual([
    ['ollama/qwen3', undefined],
    ['anthropic/claude-sonnet-4-5-20250929', 3],
    ['openai/gpt-5-2025-08-07', 1.25],
    ['openai/unknown', undefined],
    ['openai/gpt-9', 7],
  ]);
  expect(await open('openai/unknown')).toBe(models[3]);
});

test('a model opens after its missing key was added', async () => {
  const env: Record<string, string> = {};
  const open = openModels({ env });
  expect((await failureOf(open('mistral/x'))).code).toBe('CONFIG_INVALID');
  env.MISTRAL_API_KEY = 'key';
  expect((await open('mistral/x')).name).toBe('mistral/x');
});

test('a script is read from the configured file, never from a file in a request', async () => {
  const file = temporaryFile();
  writeFileSync(file, '[{"text":"hello"}]');
  const open = openModels({ env: {}, model: `scripted/${file}` });
  const request = { system: '', messages: [], tools: [], signal: new AbortController().signal };
  expect((await (await open()).answer(request)).message.text).toBe('hello');
  const { code, message } = await failureOf(open('scripted//etc/passwd'));
  expect([code, message]).toEqual([
    'CONFIG_INVALID',
    'A scripted model is set by LLM_MODEL or the configuration, not by a request.',
  ]);
  writeFileSync(file, '[{"txt":"hello"}]');
  expect((await failureOf(openModels({ env: {}, model: `scripted/${file}` })())).message).toContain(
    'is not a valid model script',
  );
});
