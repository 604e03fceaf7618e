import { expect, it } from 'vitest';
import type { ServerConfig } from './server-config.ts';
import { serverKeyOf } from './server-key.ts';

const STDIO = { command: 'node', args: ['server.js'], cwd: '/srv' };

it.each<[ServerConfig, ServerConfig, isSame: boolean]>([
  [STDIO, { ...STDIO, env: { TOKEN: 'b' }, timeoutMs: 5, description: 'Other words.' }, true],
  [STDIO, { ...STDIO, command: 'deno' }, false],
  [STDIO, { ...STDIO, args: ['other.js'] }, false],
  [STDIO, { ...STDIO, args: ['server.js', '--write'] }, false],
  [STDIO, { ...STDIO, cwd: '/tmp' }, false],
  [{ url: 'https://a.example/mcp' }, { url: 'https://a.example/mcp', headers: { authorization: 'Bearer x' } }, true],
  [{ url: 'https://u:p@a.example/mcp' }, { url: 'https://u:q@a.example/mcp' }, true],
  [{ url: 'https://a.example/mcp' }, { url: 'https://b.example/mcp' }, false],
  [{ url: 'https://a.example/mcp' }, { url: 'https://a.example/mcp?project=2' }, false],
  [{ openapi: '/api.json' }, { openapi: '/api.json', baseUrl: 'https://b.example' }, false],
  [{ url: 'https://a.example' }, { graphql: 'https://a.example' }, false],
])('%j and %j are the same server: %s', (one, other, isSame) => {
  expect(serverKeyOf(one) === serverKeyOf(other)).toBe(isSame);
  expect(serverKeyOf(one)).toMatch(/^[\w-]{43}$/);
});
