import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pastedJson, pastedText } from './pasted.ts';

const cwd = mkdtempSync(join(tmpdir(), 'toolwright-'));
const place = { cwd, file: join(cwd, 'project', 'toolwright.json') };
for (const name of ['pets.yaml', 'my server', 'run.sh']) writeFileSync(join(cwd, name), '');

describe('a text', () => {
  test.each([
    ['localhost:3000', { url: 'http://localhost:3000/mcp' }],
    ['127.0.0.1:8080/sse', { url: 'http://127.0.0.1:8080/sse' }],
    ['[::1]:80/x', { url: 'http://[::1]/x' }],
    ['mcp.example.com/v1/mcp', { url: 'https://mcp.example.com/v1/mcp' }],
    ['mcp.example.com:8443', { url: 'https://mcp.example.com:8443/mcp' }],
    ['./pets.yaml', { openapi: '../pets.yaml' }],
    ['pets.yaml', { openapi: '../pets.yaml' }],
    ['https://api.example.com/openapi.json', { openapi: 'https://api.example.com/openapi.json' }],
    ['npx -y "@scope/server" \'a b\' c\\ d', { command: 'npx', args: ['-y', '@scope/server', 'a b', 'c d'] }],
    ['$ KEY=a=b TWO="x y" node ./x.js', { command: 'node', args: ['./x.js'], env: { KEY: 'a=b', TWO: 'x y' } }],
  ])('%s', (text, entry) => {
    expect(pastedText('new', text, place)?.entry).toEqual(entry);
  });

  test.each([
    'npx',
    './run.sh',
    'my server',
    '/usr/bin/env',
    'node_modules/.bin/server',
    'https://a.example/mcp',
    'C:\\x.exe',
  ])('%s is a program or an address as it is', (text) => {
    expect(pastedText('new', text, place)).toBeUndefined();
  });

  test.each([
    ['cat x | node y.js', '"|" needs a shell'],
    ['cd /x && node y.js', '"&&" needs a shell'],
    ['./absent.yaml', 'There is no file'],
  ])('%s is a mistake', (text, message) => {
    expect(() => pastedText('new', text, place)).toThrow(message);
  });
});

describe('a JSON block', () => {
  const git = { command: 'git-mcp', args: ['.'] };
  test.each([
    ['the file of a client', JSON.stringify({ mcpServers: { git } }), undefined, ['git']],
    ['of VS Code', JSON.stringify({ mcp: { servers: { git } } }), undefined, ['git']],
    ['of Zed', JSON.stringify({ context_servers: { git } }), undefined, ['git']],
    [
      'with comments and a fence',
      '```json\n{ // mine\n "git": { "command": "git-mcp", "args": ["."] }, }\n```',
      undefined,
      ['git'],
    ],
    ['a member', '"git": { "command": "git-mcp", "args": ["."] },', undefined, ['git']],
    ['an entry', JSON.stringify(git), 'mine', ['mine']],
    ['a member under another name', JSON.stringify({ mcpServers: { git } }), 'mine', ['mine']],
    ['a server with the name of a group', JSON.stringify({ mcpServers: { mcp: git } }), undefined, ['mcp']],
    ['two servers', JSON.stringify({ mcpServers: { git, other: git } }), undefined, ['git', 'other']],
  ])('%s', (_form, text, name, names) => {
    const found = pastedJson(text, name) ?? [];
    expect(found.map((server) => server.name)).toEqual(names);
    for (const { entry } of found) expect(JSON.parse(JSON.stringify(entry))).toEqual(git);
  });

  test('has the address of other clients', () => {
    const text = '{ "mcpServers": { "web": { "serverUrl": "https://a.example/mcp" } } }';
    expect(pastedJson(text)?.[0]?.entry).toEqual({ url: 'https://a.example/mcp' });
  });

  test.each([
    ['{ "command": "x" }', undefined, 'has no name'],
    ['{ "mcpServers": {} }', undefined, 'has no server'],
    ['{ "a": { "command": "x" }, "b": { "command": "x" } }', 'mine', 'has 2 servers'],
    ['{ "a": ', undefined, 'not valid JSON at line 1'],
  ])('%s is a mistake', (text, name, message) => {
    expect(() => pastedJson(text, name)).toThrow(message);
  });
});
