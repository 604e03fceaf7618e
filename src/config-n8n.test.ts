import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.ts';

/** A reference to a variable, as a file has it. */
function variable(name: string): string {
  return `\${${name}}`;
}

describe('the n8n object of a configuration', () => {
  it('is read with variables filled in, and the cache folder starts at the file', () => {
    const rest = { cacheDir: 'cache', policy: { write: true, allow: ['execute:7'] } };
    const n8n = { url: `${variable('HOST')}/`, apiKey: variable('env:N8N_KEY'), ...rest };
    const env = { HOST: 'https://n8n.test', N8N_KEY: 'secret' };
    expect(parseConfig({ n8n }, { env, cwd: '/project' }).n8n).toEqual({
      url: 'https://n8n.test/',
      apiKey: 'secret',
      ...rest,
      cacheDir: '/project/cache',
    });
    expect(parseConfig({}, { env }).n8n).toBeUndefined();
  });

  it.each([
    [{ url: 'ftp://x' }, 'n8n.url: expected an http://'],
    [{ apiKey: variable('NOT_THERE') }, 'NOT_THERE is not set'],
    [{ polcy: {} }, '"polcy"'],
    [{ policy: { allow: ['everything'] } }, 'n8n.policy.allow[0]: expected "activate"'],
  ])('%j is refused', (n8n, problem) => {
    expect(() => parseConfig({ n8n }, { env: {} })).toThrow(problem);
  });
});
