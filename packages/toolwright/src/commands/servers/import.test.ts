// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations
import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/fixtures/scratch-home.ts';
import { importServers } from './import.ts';
import { install, ownServer, uninstall } from './install.ts';
import { storeSecret } from './secret.ts';

const OWN = { command: 'node', args: ['/opt/toolwright/dist/cli.js', 'mcp', '--config', '/x/toolwright.json'] };

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

  it('shows valid JSON also where values are numbers, words of other lines or objects with the name of a secret', async () => {
    const servers = {
      mcpServers: {
        ship: {
          command: 'node',
          args: ['command.js'],
          env: { RUNTIME: 'node', KIND: 'command', PIN: 12345, TOKEN: 98765 },
        },
        site: { url: 'https://a.example/mcp', headers: { Cookie: 'a=long-secret; b="quoted-secret"' } },
      },
    };
    const { context, text } = scratch({ '.cursor/mcp.json': JSON.stringify(servers) });
    await importServers(context, { words: [], from: ['cursor'], json: false });
    const added = text()
      .split('\n')
      .flatMap((line) => (/^\+/.test(line) ? [line.slice(1)] : []));
    expect(JSON.parse(added.join('\n'))).toEqual({
      mcpServers: {
        ship: { command: '•••', args: ['•••.js'], env: { RUNTIME: '•••', KIND: '•••', PIN: '•••', TOKEN: '•••' } },
        site: { url: 'https://a.example/mcp', headers: { Cookie: '•••' } },
      },
    });
    expect(text()).not.toMatch(/12345|98765|long-secret|quoted-secret/);
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
  it('leave a server that does not work here with the client, and name the reason', async () => {
    const servers = { git: { command: 'git-mcp' }, dead: { command: 'gone' } };
    const files = { '.cursor/mcp.json': JSON.stringify({ mcpServers: servers }) };
    const { context, read, config, text } = scratch(files, true, { dead: 'command gone not found.' });
    await install(context, { words: [], into: 'cursor', own: OWN });
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers).toEqual({ dead: servers.dead, toolwright: OWN });
    expect(Object.keys(config().mcpServers)).toEqual(['git', 'dead']);
    expect(text()).toContain('dead stays in Cursor too: command gone not found.');
    expect(text()).toContain('Cursor now starts Toolwright with 1 of its servers.');
    expect(text()).toContain('It lists execute_code and search_tools');
    const imported = scratch(files, true, { dead: 'command gone not found.' });
    await importServers(imported.context, { words: [], from: ['cursor'], json: false });
    expect(imported.text()).toContain('dead does not work yet: command gone not found.');
  });

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
