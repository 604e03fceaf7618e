import { describe, expect, it } from 'vitest';
import defaultPlugin from './index.ts';
import { n8nPlugin } from './plugin.ts';

/** Returns a reference to a variable in the syntax of configuration files. */
function variable(name: string): string {
  return `\${${name}}`;
}

describe('the n8n object of a configuration', () => {
  it('is parsed with variables replaced and a cache folder relative to the file', () => {
    const rest = { cacheDir: 'cache', policy: { write: true, allow: ['execute:7'] } };
    const n8n = { url: `${variable('HOST')}/`, apiKey: variable('env:N8N_KEY'), ...rest };
    const env = { HOST: 'https://n8n.test', N8N_KEY: 'secret' };
    expect(n8nPlugin().schema({ env, folder: '/project' }).safeParse(n8n)).toEqual({
      success: true,
      data: { url: 'https://n8n.test/', apiKey: 'secret', ...rest, cacheDir: '/project/cache' },
    });
  });

  it('makes three servers', async () => {
    const connectors = await n8nPlugin({ catalog: 'example' }).connectors({});
    expect(connectors.map(({ name }) => name)).toEqual(['n8n-nodes', 'n8n-templates', 'n8n-workflows']);
  });
});

it('is the default export of the package, which configuration files load', () => {
  expect(defaultPlugin).toMatchObject({ name: '@toolwright/n8n', key: 'n8n', commands: [{ name: 'n8n' }] });
});
