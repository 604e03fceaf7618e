// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, sendJson, startApi } from '../../../../../../test/fixtures/api-server.ts';
import { partial } from '../../../../../../test/fixtures/partial.ts';
import { plainText, scratch } from '../../../../../../test/fixtures/scratch-home.ts';
import type { RegistryServer } from './client.ts';
import { addFromRegistry, searchServers } from './commands.ts';
import { entryOf } from './entry.ts';

const WEATHER = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.ada/weather',
  description: 'Weather\u001b[31m of places',
  version: '1.2.3',
  packages: [
    {
      registryType: 'npm',
      identifier: '@ada/weather',
      version: '1.2.3',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'named', name: '--units', default: 'metric' }],
      environmentVariables: [
        { name: 'WEATHER_KEY', isRequired: true, isSecret: true, default: 'never-used' },
        { name: 'REGION', default: 'eu' },
        { name: 'TRACE' },
      ],
    },
  ],
};
const OLD = {
  name: 'io.github.bob/weather-old',
  description: '',
  version: '0.1',
  remotes: [{ type: 'sse', url: 'https://w.example/sse' }],
};
const META = 'io.modelcontextprotocol.registry/official';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi(({ path }, response) => {
    if (path.startsWith('/v0.1/servers?'))
      return sendJson(response, {
        servers: [
          { server: WEATHER, _meta: { [META]: { status: 'active', isLatest: true } } },
          { server: OLD, _meta: { [META]: { status: 'deprecated' } } },
          { server: { name: 'io.github.eve/weather-gone' }, _meta: { [META]: { status: 'deleted' } } },
          null,
        ],
        metadata: { nextCursor: 'next', count: 3 },
      });
    if (path === '/v0.1/servers/io.github.ada%2Fweather/versions/latest')
      return sendJson(response, { server: WEATHER });
    if (path.startsWith('/broken/')) return void response.end('<html>');
    return sendJson(response, { error: 'Not found' }, 404);
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const toolwright = {
  pii: plainText,
  addServer: async (name: string) => ({
    name,
    slug: name,
    pythonModule: name,
    toolCount: 1,
    status: { state: 'ready' as const, starts: 1 },
  }),
  tools: async () => [],
};

describe('servers search', () => {
  it('lists the servers of a registry, and how they run', async () => {
    const { context, out, text } = scratch();
    expect(await searchServers(context, { words: ['weather'], registry: api.origin, json: false })).toBe(0);
    expect(out).toEqual([
      'io.github.ada/weather  1.2.3  npm @ada/weather',
      expect.stringMatching(/^ {2}Weather.*of places$/),
      'io.github.bob/weather-old  0.1  https://w.example/sse  deprecated',
    ]);
    expect(text()).not.toContain('\u001b');
    expect(text()).toContain('There are more.');
    expect(api.seen.at(-1)?.path).toContain('search=weather&version=latest');
  });

  it('names the registry that gives no answer', async () => {
    const search = (registry: string) => searchServers(scratch().context, { words: ['x'], registry, json: false });
    await expect(search('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    await expect(search(`${api.origin}/broken`)).rejects.toThrow('its answer is no JSON');
    await expect(search(`${api.origin}/none`)).rejects.toThrow('has no list "servers"');
    await expect(search('registry')).rejects.toThrow('must be an http:// or https:// URL');
  });
});

describe('servers add --from-registry', () => {
  const ENTRY = {
    command: 'npx',
    args: ['-y', '@ada/weather@1.2.3', '--units', 'metric'],
    env: { WEATHER_KEY: '${WEATHER_KEY}', REGION: 'eu' },
  };

  it.each(['io.github.ada/weather', 'weather'])('shows what %s runs, and writes it after a yes', async (name) => {
    const { context, config, text, asked } = scratch();
    expect(await addFromRegistry(context, { words: [name], env: {}, registry: api.origin }, partial(toolwright))).toBe(
      0,
    );
    expect(config()).toEqual({ mcpServers: { weather: ENTRY } });
    expect(asked).toEqual([`Add weather to ${context.file} and start it?`]);
    expect(text()).toContain('@ada/weather@1.2.3');
    expect(text()).toContain('set WEATHER_KEY in the environment of Toolwright');
    expect(text()).toContain('left out the optional TRACE');
  });

  it('starts and writes nothing after a no, and takes another name and values', async () => {
    const no = scratch({}, false);
    const never = { ...toolwright, addServer: () => Promise.reject(new Error('it was started')) };
    await addFromRegistry(no.context, { words: ['weather'], env: {}, registry: api.origin }, partial(never));
    expect(existsSync(no.file)).toBe(false);
    const yes = scratch();
    const env = { WEATHER_KEY: 'secret-value' };
    await addFromRegistry(yes.context, { words: ['weather', 'sky'], env, registry: api.origin }, partial(toolwright));
    expect(yes.config()).toEqual({ mcpServers: { sky: { ...ENTRY, env: { ...ENTRY.env, ...env } } } });
    expect(yes.text()).not.toContain('secret-value');
  });

  it('is an error for an unknown or ambiguous name', async () => {
    const add = (name: string) =>
      addFromRegistry(scratch().context, { words: [name], env: {}, registry: api.origin }, partial(toolwright));
    await expect(add('io.github.ada/none')).rejects.toThrow('has no server "io.github.ada/none"');
    await expect(add('eather')).rejects.toThrow('Write one of: io.github.ada/weather, io.github.bob/weather-old');
  });
});

describe('a server of a registry becomes an entry', () => {
  const server = (parts: Partial<RegistryServer>): RegistryServer => ({
    name: 'a/b',
    description: '',
    version: '1',
    packages: [],
    remotes: [],
    isDeprecated: false,
    ...parts,
  });
  const npm = (more: object = {}) => ({ registryType: 'npm', identifier: 'x', version: '1.0.0', ...more });

  it.each<[string, object, unknown]>([
    [
      'a package of PyPI',
      { registryType: 'pypi', identifier: 'my-mcp', version: '2.0' },
      { command: 'uvx', args: ['my-mcp@2.0'] },
    ],
    [
      'an image, whose variables are passed',
      {
        registryType: 'oci',
        identifier: 'docker.io/ada/x:1.0',
        version: '1.0',
        runtimeArguments: [{ type: 'named', name: '--network', value: 'host' }],
        environmentVariables: [{ name: 'K', isSecret: true }],
      },
      {
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'K', '--network', 'host', 'docker.io/ada/x:1.0'],
        env: { K: '${K}' },
      },
    ],
    [
      'arguments of all kinds',
      npm({
        runtimeArguments: [{ type: 'named', name: '-y' }],
        packageArguments: [
          { type: 'positional', value: 'serve' },
          { type: 'positional', valueHint: 'folder', isRequired: true },
          { type: 'named', name: '--port', value: '{port}', variables: { port: { default: '80' } } },
          { type: 'positional', valueHint: 'more' },
        ],
      }),
      { command: 'npx', args: ['-y', 'x@1.0.0', 'serve', '${FOLDER}', '--port', '80'] },
    ],
  ])('%s', (_title, part, entry) => {
    expect(entryOf(server({ packages: [part as Record<string, unknown>] }))).toMatchObject({ entry });
  });

  it('a remote address, with its headers', () => {
    const remote = {
      type: 'streamable-http',
      url: 'https://{tenant}.example/mcp',
      variables: { tenant: { isRequired: true } },
      headers: [
        { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true } } },
        { name: 'X-Api-Key', isSecret: true },
      ],
    };
    expect(entryOf(server({ remotes: [remote] }))).toMatchObject({
      entry: {
        type: 'http',
        url: 'https://${TENANT}.example/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}', 'X-Api-Key': '${X_API_KEY}' },
      },
    });
  });

  it.each<[string, Partial<RegistryServer>, string]>([
    [
      'a reference to a variable of this machine',
      { packages: [npm({ packageArguments: [{ type: 'positional', value: '${AWS_SECRET_ACCESS_KEY}' }] })] },
      'refers to a variable',
    ],
    [
      'such a reference in a default',
      { packages: [npm({ environmentVariables: [{ name: 'A', default: '${env:HOME}' }] })] },
      'refers to a variable',
    ],
    [
      'an option in place of a package',
      { packages: [npm({ identifier: '--registry=http://evil.example' })] },
      'is invalid',
    ],
    ['a version with more words', { packages: [npm({ version: '1.0 && rm' })] }, 'is invalid'],
    ['another kind of package', { packages: [{ registryType: 'mcpb', identifier: 'https://x' }] }, 'kind "mcpb"'],
    [
      'a port of its own',
      { packages: [npm({ transport: { type: 'streamable-http', url: 'http://localhost' } })] },
      'opens a port',
    ],
    ['nothing to run', {}, 'neither a package nor a remote address'],
  ])('and is refused with %s', (_title, parts, reason) => {
    expect(entryOf(server(parts))).toEqual({ reasons: [expect.stringContaining(reason)] });
  });

  it('by the first part that can run', () => {
    const remotes = [{ type: 'sse', url: 'https://w.example/sse' }];
    expect(entryOf(server({ packages: [{ registryType: 'mcpb' }], remotes }))).toMatchObject({
      entry: { type: 'sse' },
    });
  });
});
