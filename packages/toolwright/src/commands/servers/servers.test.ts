// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ToolwrightError } from '@toolwright/core';
import { describe, expect, it } from 'vitest';
import { addServer } from './add.ts';
import { proxyOfEntry, proxyOfTools } from './code-mode.ts';
import type { ServersContext } from './context.ts';
import { importServers } from './import.ts';
import { install, ownServer, uninstall } from './install.ts';
import { pinnedArgs, type RunProgram } from './pin.ts';
import { removeServer } from './remove.ts';
import { storeSecret } from './secret.ts';

const OWN = { command: 'node', args: ['/opt/toolwright/dist/cli.js', 'mcp', '--config', '/x/toolwright.json'] };

/** A scratch home with files, and a context that answers every question with `answer`. */
function scratch(files: Readonly<Record<string, string>> = {}, answer = true) {
  const home = mkdtempSync(join(tmpdir(), 'toolwright-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const [out, err, asked]: string[][] = [[], [], []];
  const file = join(home, 'project/toolwright.json');
  mkdirSync(join(home, 'project'), { recursive: true });
  const context: ServersContext = {
    machine: { home, cwd: join(home, 'project'), platform: 'linux', env: {} },
    file,
    output: { out: (text) => void out?.push(text), err: (text) => void err?.push(text) },
    confirm: async (question) => {
      asked?.push(question);
      return answer;
    },
  };
  const read = (path: string) => readFileSync(join(home, path), 'utf8');
  return {
    home,
    context,
    file,
    read,
    write,
    config: () => JSON.parse(readFileSync(file, 'utf8')),
    text: () => [...(out ?? []), ...(err ?? [])].join('\n'),
    out: out ?? [],
    asked: asked ?? [],
  };
}

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
      await addServer(context, wanted(['new', 'npx', '-y', 'pkg'], { env: ['A=b=c', 'B=${env:X}'] }), probing()),
    ).toBe(0);
    await addServer(
      context,
      wanted(['web', 'https://a.example/mcp'], { headers: ['Authorization: Bearer ${file:/t}', 'X-A:b'] }),
      probing(),
    );
    await addServer(context, wanted(['bare', 'server']), probing());
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

  it('keeps a server that does not work yet, and says why', async () => {
    const { context, config, text } = scratch();
    await addServer(
      context,
      wanted(['web', 'https://a.example']),
      probing(new ToolwrightError('UPSTREAM_UNAVAILABLE', 'web needs a login.')),
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
    await expect(addServer(context, args, probing())).rejects.toThrow(message);
    await expect(addServer(context, args, probing())).rejects.not.toThrow('s3cret');
    expect(read('project/toolwright.json')).toBe('{ "mcpServers": { "old": { "command": "x" } } }');
  });

  it('refuses a wrong entry, and a server that turns out to be a code-mode proxy', async () => {
    const { context, file } = scratch();
    const wrong = new ToolwrightError('CONFIG_INVALID', 'addServer: new.url: wrong.');
    await expect(addServer(context, wanted(['new', 'x']), probing(wrong))).rejects.toThrow('new.url: wrong');
    await expect(addServer(context, wanted(['new', 'x']), probing(['execute_code', 'search_tools']))).rejects.toThrow(
      NESTED,
    );
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

describe('--pin', () => {
  const registry =
    (answers: Readonly<Record<string, string>>): RunProgram =>
    async (command, args, input) => {
      const key = [
        command,
        ...args.filter((arg) => !arg.startsWith('-') && !/^(view|version|pip|compile)$/.test(arg)),
        input.trim(),
      ]
        .join(' ')
        .trim();
      const answer = answers[key];
      if (answer === undefined)
        throw Object.assign(new Error(`no answer for ${key}`), { stderr: 'npm error code E404' });
      return answer;
    };
  const run = registry({
    'npm pkg': '"1.2.3"',
    'npm @a/b@^2': '["2.0.0","2.1.0"]',
    'npm gone@^9': '',
    'uv git': 'git==0.6.2\n',
    'uv git==0.5': 'git==0.5.0\n',
    'uv x[cli]': '# by uv\nx[cli]==3.1 ; python_version > "3"\n',
  });

  it.each([
    ['npx', ['-y', 'pkg', '--flag'], ['-y', 'pkg@1.2.3', '--flag']],
    ['npx', ['-y', '@a/b@^2'], ['-y', '@a/b@2.1.0']],
    ['npx', ['--package=pkg', '-y', 'tool'], ['--package=pkg@1.2.3', '-y', 'tool']],
    ['/usr/bin/npx', ['-p', 'pkg', 'tool'], ['-p', 'pkg@1.2.3', 'tool']],
    ['bunx', ['pkg'], ['pkg@1.2.3']],
    ['uvx', ['git', '--repo', '.'], ['--from', 'git==0.6.2', 'git', '--repo', '.']],
    ['uvx', ['git@0.5'], ['--from', 'git==0.5.0', 'git']],
    ['uvx', ['--from', 'x[cli]', 'x-server'], ['--from', 'x[cli]==3.1', 'x-server']],
    ['uvx', ['--python', '3.12', 'git'], ['--python', '3.12', '--from', 'git==0.6.2', 'git']],
  ])('%s %j', async (command, args, pinned) => {
    expect(await pinnedArgs(command, args, run)).toEqual(pinned);
  });

  it.each([
    ['docker', ['run', 'x'], run, '--pin needs a command that starts a package: npx, bunx or uvx, not "docker".'],
    ['npx', ['-y'], run, 'finds no package with versions'],
    ['npx', ['./local'], run, 'finds no package with versions'],
    [
      'npx',
      ['unknown'],
      run,
      'The version of the package "unknown" is unknown: the package registry does not have it.',
    ],
    ['npx', ['gone@^9'], run, 'There is no version of the package "gone@^9".'],
    [
      'npx',
      ['pkg'],
      () => Promise.reject(Object.assign(new Error('x'), { stderr: 'ENOTFOUND' })),
      'the package registry cannot be reached',
    ],
    [
      'uvx',
      ['git'],
      () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOENT' })),
      '--pin needs the program uv, which is not installed',
    ],
  ] as const)('fails for %s %j', async (command, args, program, message) => {
    await expect(pinnedArgs(command, args, program)).rejects.toThrow(message);
  });

  it('is written', async () => {
    const { context, config } = scratch();
    await addServer(context, wanted(['new', 'npx', '-y', 'pkg'], { isPinned: true }), probing(), (command, args) =>
      pinnedArgs(command, args, run),
    );
    expect(config().mcpServers.new.args).toEqual(['-y', 'pkg@1.2.3']);
  });
});

const CURSOR =
  '{\n  "mcpServers": {\n    "git": { "command": "git-mcp", "env": { "TOKEN": "ghp_verysecret" } },\n    "own": { "command": "npx", "args": ["toolwright", "mcp"] }\n  }\n}\n';
const CODEX =
  '# mine\nmodel = "x"\n\n[mcp_servers.docs]\ncommand = "docs"\n\n[mcp_servers.git]\ncommand = "other-git"\n';

describe('servers import', () => {
  it('reads all clients, shows the difference without secrets, and writes after a yes', async () => {
    const before =
      '{\n  // ours\n  "mcpServers": {\n    "old": { "url": "https://old.example", "headers": { "A": "old-secret-value" } },\n  },\n}\n';
    const { context, read, text, asked } = scratch({
      '.cursor/mcp.json': CURSOR,
      '.codex/config.toml': CODEX,
      'project/toolwright.json': before,
    });
    expect(await importServers(context, { words: [], from: [], json: false })).toBe(0);
    expect(read('project/toolwright.json')).toBe(
      '{\n  // ours\n  "mcpServers": {\n    "old": { "url": "https://old.example", "headers": { "A": "old-secret-value" } },\n    "git": {\n      "command": "git-mcp",\n      "env": {\n        "TOKEN": "ghp_verysecret"\n      }\n    },\n    "docs": {\n      "command": "docs"\n    },\n  },\n}\n',
    );
    expect(text()).toContain('+    "git": {');
    expect(text()).toContain('left out, "own" is a code-mode proxy (Toolwright itself)');
    expect(text()).toMatch(/git {2}from .*config\.toml: left out, .*toolwright\.json has another server "git"/);
    expect(text()).not.toMatch(/verysecret|old-secret/);
    expect(asked).toEqual([`Write ${context.file}?`]);
    await importServers(context, { words: [], from: ['cursor'], json: false });
    expect(text()).toContain('imported already');
    expect(text()).toContain('There is nothing to import.');
  });

  it('writes nothing after a no', async () => {
    const { context, file, text } = scratch({ '.cursor/mcp.json': CURSOR }, false);
    expect(await importServers(context, { words: [], from: ['cursor'], json: true })).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(JSON.parse(text().split('\n')[0] ?? '')).toMatchObject({ imported: [] });
  });

  it('goes on after a broken file, and fails for the one that was named', async () => {
    const { context, config, text } = scratch({ '.cursor/mcp.json': '{ broken', '.codex/config.toml': CODEX });
    expect(await importServers(context, { words: [], from: [], json: false })).toBe(0);
    expect(Object.keys(config().mcpServers)).toEqual(['docs', 'git']);
    expect(text()).toMatch(/not read: .*\.cursor\/mcp\.json has a problem:\n.*line 1, column 3/);
    expect(await importServers(context, { words: [], from: ['cursor'], json: false })).toBe(2);
    await expect(importServers(context, { words: [], from: ['curser'], json: false })).rejects.toThrow(
      'There is no client "curser"',
    );
  });
});

describe('servers install and uninstall', () => {
  it('move the servers of a client, and restore its file byte for byte', async () => {
    const { context, config, read, home, write, text } = scratch({ 'dotfiles/mcp.json': CURSOR });
    mkdirSync(join(home, '.cursor'));
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
    const wanted = { words: [], into: 'cursor', own: OWN };
    expect(await install(context, wanted)).toBe(0);
    expect(JSON.parse(read('dotfiles/mcp.json'))).toEqual({
      mcpServers: { own: { command: 'npx', args: ['toolwright', 'mcp'] }, toolwright: OWN },
    });
    expect(config()).toEqual({ mcpServers: { git: { command: 'git-mcp', env: { TOKEN: 'ghp_verysecret' } } } });
    expect(read('.cursor/mcp.json.before-toolwright')).toBe(CURSOR);
    expect(text()).not.toContain('verysecret');
    await expect(install(context, wanted)).rejects.toThrow('Toolwright is in');

    expect(await uninstall(context, wanted)).toBe(0);
    expect(read('dotfiles/mcp.json')).toBe(CURSOR);
    expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(home, '.cursor/mcp.json.before-toolwright'))).toBe(false);
    expect(text()).not.toContain('has changed since the installation');
    await expect(uninstall(context, wanted)).rejects.toThrow('There is no backup of Cursor');

    await install(context, wanted);
    write('dotfiles/mcp.json', read('dotfiles/mcp.json').replace('{', '{ "new": 1,'));
    await uninstall(context, wanted);
    expect(text()).toContain('has changed since the installation. These changes are lost');
    expect(read('dotfiles/mcp.json')).toBe(CURSOR);
  });

  it.each([
    ['codex', '.codex/config.toml', CODEX],
    ['goose', '.config/goose/config.yaml', 'x: 1 # mine\nextensions:\n    a: { type: stdio, cmd: a }\n'],
    ['vscode', '.config/Code/User/mcp.json', '\uFEFF{\r\n\t"servers": { "a": { "command": "a" } } // mine\r\n}'],
    ['claude-code', '.claude.json', '{"mcpServers":{"a":{"command":"a"}},"oauthToken":"private-token-of-ada"}'],
  ])('%s comes back as it was', async (into, path, original) => {
    const { context, read, text } = scratch({ [path]: original });
    await install(context, { words: [into], into: undefined, own: OWN });
    expect(read(path)).toContain('toolwright');
    await uninstall(context, { words: [], into, own: OWN });
    expect(read(path)).toBe(original);
    expect(text()).not.toContain('private-token');
  });

  it('start without a file, and leave none', async () => {
    const { context, home, read } = scratch();
    await install(context, { words: [], into: 'zed', own: OWN });
    expect(JSON.parse(read('.config/zed/settings.json')).context_servers.toolwright).toMatchObject(OWN);
    await uninstall(context, { words: [], into: 'zed', own: OWN });
    expect(existsSync(join(home, '.config/zed/settings.json'))).toBe(false);
  });

  it('write nothing after a no, and for a broken file', async () => {
    const { context, home, file, read } = scratch({ '.cursor/mcp.json': CURSOR }, false);
    await install(context, { words: [], into: 'cursor', own: OWN });
    expect([
      read('.cursor/mcp.json'),
      existsSync(file),
      existsSync(join(home, '.cursor/mcp.json.before-toolwright')),
    ]).toEqual([CURSOR, false, false]);
    const broken = scratch({ '.cursor/mcp.json': '{ "mcpServers": [' });
    await expect(install(broken.context, { words: [], into: 'cursor', own: OWN })).rejects.toThrow('not valid JSON');
    await expect(install(context, { words: [], into: undefined, own: OWN })).rejects.toThrow('Name one client');
  });

  it('name a program that stays: this one, or the package of npx', () => {
    expect(ownServer('/a/toolwright.json', '/opt/toolwright/dist/cli.js')).toEqual({
      command: process.execPath,
      args: ['/opt/toolwright/dist/cli.js', 'mcp', '--config', '/a/toolwright.json'],
    });
    expect(ownServer('/a/toolwright.json', '/home/ada/.npm/_npx/1/node_modules/toolwright/dist/cli.js')).toEqual({
      command: 'npx',
      args: ['-y', 'toolwright', 'mcp', '--config', '/a/toolwright.json'],
    });
  });
});

it('servers secret stores stdin in the keychain', async () => {
  const { context, text } = scratch();
  const stored = new Map<string, string>();
  const keychain = async () => ({
    read: (name: string) => stored.get(name),
    write: (name: string, value: string) => void stored.set(name, value),
  });
  async function* input(value: string) {
    yield value;
  }
  expect(await storeSecret(context, ['github'], { input: input('tok-1\n'), keychain })).toBe(0);
  expect(stored.get('github')).toBe('tok-1');
  expect(text()).toBe('Stored. Refer to it by ${keychain:github}.');
  await expect(storeSecret(context, ['github'], { input: input(''), keychain })).rejects.toThrow('stdin has no secret');
  await expect(storeSecret(context, ['a', 'tok'], { input: input('x'), keychain })).rejects.toThrow(
    'Use "servers secret NAME"',
  );
});
