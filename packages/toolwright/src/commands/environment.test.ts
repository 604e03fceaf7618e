import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { prepareEnvironment, type Variables } from './environment.ts';

/** Returns the environment of a command and its warnings. `variables` are those of `.env`. */
async function prepared(env: Variables, variables: Record<string, string> = {}): Promise<[Variables, string[]]> {
  const warnings: string[] = [];
  await prepareEnvironment(env, { variables, warn: (text) => warnings.push(text) });
  return [env, warnings];
}

test('variables are added, and never override the environment', async () => {
  const [env] = await prepared({ TOOLWRIGHT_LOG: 'error' }, { PORT: '3000', TOOLWRIGHT_LOG: 'debug', EMPTY: '' });
  expect(env).toEqual({ PORT: '3000', TOOLWRIGHT_LOG: 'error', EMPTY: '' });
});

describe('an alias', () => {
  test.each([
    ['SANDBOX_TIMEOUT_MS', '30000', 'TOOLWRIGHT_TIMEOUT_MS', '30000'],
    ['SANDBOX_MEMORY_MB', '100', 'TOOLWRIGHT_MEMORY_MB', '100'],
    ['SANDBOX_CPU_QUOTA', '50000', 'TOOLWRIGHT_CPU_PERCENT', '50'],
    ['SANDBOX_IMAGE', 'mine:1', 'TOOLWRIGHT_DOCKER_IMAGE', 'mine:1'],
  ])('%s=%s sets %s=%s, with one warning', async (alias, text, name, value) => {
    const [env, warnings] = await prepared({ [alias]: text });
    expect(env[name]).toBe(value);
    expect(warnings).toEqual([`warning: ${alias} is now called ${name}.`]);
  });

  test('may have the value of its new name', async () => {
    const [, warnings] = await prepared({ SANDBOX_CPU_QUOTA: '50000', TOOLWRIGHT_CPU_PERCENT: '50' });
    expect(warnings).toHaveLength(1);
  });

  test('that contradicts its new name is one error, also when one of them is in .env', async () => {
    const env = { SANDBOX_TIMEOUT_MS: '1000' };
    expect(await failureOf(prepared(env, { TOOLWRIGHT_TIMEOUT_MS: '2000' }))).toMatchObject({
      code: 'CONFIG_INVALID',
      message:
        'SANDBOX_TIMEOUT_MS and TOOLWRIGHT_TIMEOUT_MS are the same setting and have different values. Remove SANDBOX_TIMEOUT_MS.',
    });
  });

  test.each(['-1', 'half', '1500', '0'])('SANDBOX_CPU_QUOTA=%s is refused with its new name', async (quota) => {
    const { message } = await failureOf(prepared({ SANDBOX_CPU_QUOTA: quota }));
    expect(message).toBe(
      `SANDBOX_CPU_QUOTA is "${quota}". Set TOOLWRIGHT_CPU_PERCENT in its place, a whole number of percent.`,
    );
  });

  test.each([
    ['anthropic/claude', 'ANTHROPIC_API_KEY'],
    ['google/gemini', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openrouter/x/y', 'OPENROUTER_API_KEY'],
  ])('LLM_API_KEY is the key of %s', async (model, name) => {
    const [env, warnings] = await prepared({ LLM_MODEL: model, LLM_API_KEY: 'secret' });
    expect(env[name]).toBe('secret');
    expect(warnings).toEqual([`warning: LLM_API_KEY is now called ${name}.`]);
  });

  test('LLM_API_KEY without a provider that needs it is ignored with a warning, which has no value', async () => {
    const [env, warnings] = await prepared({ LLM_MODEL: 'ollama/qwen', LLM_API_KEY: 'secret' });
    expect(Object.keys(env)).toEqual(['LLM_MODEL', 'LLM_API_KEY']);
    expect(warnings).toEqual([
      'warning: LLM_API_KEY is ignored: set LLM_MODEL=provider/name, for a provider with a key.',
    ]);
  });

  test('that is empty, and NODE_ENV, change nothing', async () => {
    const env = { SANDBOX_TIMEOUT_MS: '', LLM_API_KEY: '', NODE_ENV: 'production' };
    expect(await prepared({ ...env })).toEqual([env, []]);
  });
});
