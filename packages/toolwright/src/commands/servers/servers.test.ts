// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations

import { existsSync, statSync } from 'node:fs';
import { ToolwrightError } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { plainText, scratch } from '../../../../../test/fixtures/scratch-home.ts';
import { addServer } from './add.ts';
import { copyProjectServers } from './check.ts';
import { proxyOfEntry, proxyOfTools } from './code-mode.ts';
import { removeServer } from './remove.ts';

/** A Toolwright whose new servers have these tools, or fail. */
function probing(tools: readonly string[] | Error = ['one']) {
  return {
    addServer: async (name: string) => {
      if (tools instanceof Error) throw tools;
      return {
        name,
        slug: name,
        pythonModule: name,
        status: { state: 'ready' as const, starts: 1 },
        toolCount: tools.length,
      };
    },
    pii: plainText,
    tools: async () =>
      (tools instanceof Error ? [] : tools).map((name) => ({
        id: `new__${name}`,
        server: 'new',
        definition: { name, inputSchema: {} },
      })),
  };
}

const wanted = (words: string[], more: object = {}) => ({ words, headers: [], env: [], isPinned: false, ...more });
const NESTED = /is a code-mode proxy .*Add its servers to Toolwright instead/;

describe('servers add', () => {
  it('writes a command with variables, and a URL with headers, and creates the file', async () => {
    const { context, config, file, out } = scratch();
    expect(
      await addServer(
        context,
        wanted(['new', 'npx', '-y', 'pkg'], { env: ['A=b=c', 'B=${env:X}'] }),
        partial(probing()),
      ),
    ).toBe(0);
    await addServer(
      context,
      wanted(['web', 'https://a.example/mcp'], { headers: ['Authorization: Bearer ${file:/t}', 'X-A:b'] }),
      partial(probing()),
    );
    await addServer(context, wanted(['bare', 'server']), partial(probing()));
    expect(config()).toEqual({
      mcpServers: {
        new: { command: 'npx', args: ['-y', 'pkg'], env: { A: 'b=c', B: '${env:X}' } },
        web: { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${file:/t}', 'X-A': 'b' } },
        bare: { command: 'server' },
      },
    });
    expect(out[0]).toBe(`Added new to ${file}: 1 tools.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('adds pasted texts: an address without scheme, a command line, a file of an API, a JSON block', async () => {
    const { context, config, text } = scratch({ 'project/pets.yaml': 'openapi: 3.1.0' });
    await addServer(context, wanted(['web', 'localhost:3000']), partial(probing()));
    await addServer(context, wanted(['line', 'npx -y pkg "a b"']), partial(probing()));
    await addServer(context, wanted(['pets', 'pets.yaml']), partial(probing()));
    await addServer(
      context,
      wanted(['{ "mcpServers": { "one": { "command": "x" }, "two": { "command": "y" } } }']),
      partial(probing()),
    );
    await addServer(context, wanted(['three', '{ "command": "z" }']), partial(probing()));
    expect(config().mcpServers).toEqual({
      web: { url: 'http://localhost:3000/mcp' },
      line: { command: 'npx', args: ['-y', 'pkg', 'a b'] },
      pets: { openapi: './pets.yaml' },
      one: { command: 'x' },
      two: { command: 'y' },
      three: { command: 'z' },
    });
    expect(text()).toContain('web: localhost:3000 is read as http://localhost:3000/mcp.');
  });

  it('copies the servers of .mcp.json, and leaves the file of Claude Code as it is', async () => {
    const project =
      '{ "mcpServers": { "git": { "command": "git-mcp" }, "own": { "command": "npx", "args": ["toolwright"] } } }';
    const { context, config, read, text } = scratch({ 'project/.mcp.json': project });
    await copyProjectServers(context);
    expect(config()).toEqual({ mcpServers: { git: { command: 'git-mcp' } } });
    expect(text()).toContain('Copied git from ');
    await addServer(context, wanted(['new', 'x']), partial(probing()));
    await copyProjectServers(context);
    expect([Object.keys(config().mcpServers), read('project/.mcp.json')]).toEqual([['git', 'new'], project]);
  });

  it('keeps a server that does not work yet, and reports the reason', async () => {
    const { context, config, text } = scratch();
    await addServer(
      context,
      wanted(['web', 'https://a.example']),
      partial(probing(new ToolwrightError('UPSTREAM_UNAVAILABLE', 'web needs a login.'))),
    );
    expect(config().mcpServers.web).toEqual({ url: 'https://a.example' });
    expect(text()).toContain('it does not work yet. web needs a login.');
  });

  it.each([
    [wanted([]), 'Use "servers add NAME -- COMMAND…"'],
    [wanted(['a']), 'Use "servers add NAME -- COMMAND…"'],
    [wanted(['a', 'https://a.example'], { env: ['A=b'] }), '--env belongs to a command'],
    [wanted(['a', 'npx'], { headers: ['A: b'] }), '--header belongs to a URL'],
    [wanted(['a', 'npx'], { env: ['s3cret'] }), '--env takes NAME=value.'],
    [wanted(['a', 'https://a.example'], { headers: ['s3cret'] }), '--header takes Name: value.'],
    [wanted(['a', 'https://a.example'], { isPinned: true }), '--pin belongs to a command'],
    [wanted(['old', 'npx']), 'has a server "old" already'],
    [wanted(['a', 'npx', '-y', 'toolwright', 'mcp']), NESTED],
  ])('refuses %j', async (args, message) => {
    const { context, read } = scratch({ 'project/toolwright.json': '{ "mcpServers": { "old": { "command": "x" } } }' });
    await expect(addServer(context, args, partial(probing()))).rejects.toThrow(message);
    await expect(addServer(context, args, partial(probing()))).rejects.not.toThrow('s3cret');
    expect(read('project/toolwright.json')).toBe('{ "mcpServers": { "old": { "command": "x" } } }');
  });

  it('refuses a wrong entry, and a server that turns out to be a code-mode proxy', async () => {
    const { context, file } = scratch();
    const unset = new ToolwrightError(
      'CONFIG_INVALID',
      'addServer: new.env.K: the environment variable K_UNSET is not set.',
    );
    const later = scratch();
    await addServer(later.context, wanted(['new', 'x'], { env: ['K=${K_UNSET}'] }), partial(probing(unset)));
    expect(later.config()).toEqual({ mcpServers: { new: { command: 'x', env: { K: '${K_UNSET}' } } } });
    expect(later.text()).toContain('it does not work yet. addServer: new.env.K');
    const wrong = new ToolwrightError('CONFIG_INVALID', 'addServer: new.url: wrong.');
    await expect(addServer(context, wanted(['new', 'x']), partial(probing(wrong)))).rejects.toThrow('new.url: wrong');
    await expect(
      addServer(context, wanted(['new', 'x']), partial(probing(['execute_code', 'search_tools']))),
    ).rejects.toThrow(NESTED);
    expect(existsSync(file)).toBe(false);
  });
});

it('servers remove takes one server out', async () => {
  const { context, read } = scratch({
    'project/toolwright.json': '{\n  "mcpServers": {\n    "a": {}, // A\n    "b": {}\n  }\n}\n',
  });
  await removeServer(context, ['b']);
  expect(read('project/toolwright.json')).toBe('{\n  "mcpServers": {\n    "a": {} // A\n  }\n}\n');
  await expect(removeServer(context, ['b'])).rejects.toThrow('has no server "b". Its servers: a.');
  await expect(removeServer(context, [])).rejects.toThrow('Use "servers remove NAME"');
});

describe('a code-mode proxy', () => {
  it.each([
    [{ command: 'npx', args: ['-y', 'toolwright@1.2.3', 'mcp'] }, 'Toolwright itself'],
    [{ command: 'node', args: ['/src/packages/toolwright/dist/cli.js', 'mcp'] }, 'Toolwright itself'],
    [{ command: '/usr/local/bin/toolwright', args: ['mcp'] }, 'Toolwright itself'],
    [{ command: 'npx', args: ['@utcp/code-mode-mcp'] }, 'UTCP code mode'],
    [{ command: 'uvx', args: ['code-mode'] }, 'UTCP code mode'],
    [{ command: 'bunx', args: ['@cloudflare/codemode@latest'] }, 'Cloudflare code mode'],
    [{ command: 'npx', args: ['-y', 'mcp-use'] }, 'mcp-use'],
    [{ command: 'executor', args: ['mcp'] }, 'executor'],
  ])('%j', (entry, title) => {
    expect(proxyOfEntry(entry)).toBe(title);
  });

  it.each([
    { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/toolwright'] },
    { command: 'npx', args: ['-y', 'some-server', 'executor'] },
    { command: 'node', args: ['/home/ada/toolwright/server.js'] },
    { command: 'uvx', args: ['word-mcp-codemode-live'] },
    { url: 'https://toolwright.example/mcp' },
  ])('is not %j', (entry) => {
    expect(proxyOfEntry(entry)).toBeUndefined();
  });

  it('shows in its tools, and a server that only runs code does not', () => {
    expect(proxyOfTools(['execute_code', 'search_tools', 'x'])).toBe('search_tools and execute_code');
    expect(proxyOfTools(['call_tool_chain', 'list_tools', 'register_manual'])).toBe('list_tools and call_tool_chain');
    expect(proxyOfTools(['list_functions', 'get_function_details', 'execute'])).toBe('list_functions and execute');
    for (const names of [['execute_code'], ['execute', 'search'], ['run_code', 'list_files'], ['search_tools'], []])
      expect(proxyOfTools(names)).toBeUndefined();
  });
});
