// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are configurations of clients
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { CLIENTS } from './all.ts';
import type { Client, Machine } from './client.ts';

const machine: Machine = { home: '/home/ada', cwd: '/projects/shop', platform: 'linux', env: {} };

function client(name: string): Client {
  const found = CLIENTS.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
}

/** Returns the servers of a text by name, with their notes, and the ones that stay. */
function read(name: string, text: string, file?: string) {
  const own = client(name);
  const { servers, left } = own.read(text, file ?? own.files(machine)[0] ?? '', machine);
  return {
    servers: Object.fromEntries(servers.map((each) => [each.name, each.entry])),
    notes: servers.flatMap(({ notes }) => notes),
    left,
  };
}

describe('the files of clients', () => {
  const on = (platform: NodeJS.Platform, env: Machine['env'] = {}) =>
    Object.fromEntries(
      CLIENTS.map(({ name, files }) => [name, files({ ...machine, platform, env })[0]?.replaceAll('\\', '/')]),
    );

  it('are where each platform has them', () => {
    expect(on('linux')).toEqual({
      'claude-desktop': '/home/ada/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/ada/.claude.json',
      cursor: '/home/ada/.cursor/mcp.json',
      vscode: '/home/ada/.config/Code/User/mcp.json',
      windsurf: '/home/ada/.codeium/windsurf/mcp_config.json',
      codex: '/home/ada/.codex/config.toml',
      gemini: '/home/ada/.gemini/settings.json',
      zed: '/home/ada/.config/zed/settings.json',
      goose: '/home/ada/.config/goose/config.yaml',
      'lm-studio': '/home/ada/.lmstudio/mcp.json',
      continue: '/home/ada/.continue/config.yaml',
      opencode: '/home/ada/.config/opencode/opencode.json',
      cline: '/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      roo: '/home/ada/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
      'copilot-cli': '/home/ada/.copilot/mcp-config.json',
      kiro: '/home/ada/.kiro/settings/mcp.json',
      junie: '/home/ada/.junie/mcp/mcp.json',
      jetbrains: '/home/ada/.ai/mcp/mcp.json',
    });
    expect(on('darwin')).toMatchObject({
      'claude-desktop': '/home/ada/Library/Application Support/Claude/claude_desktop_config.json',
      vscode: '/home/ada/Library/Application Support/Code/User/mcp.json',
      zed: '/home/ada/.config/zed/settings.json',
      goose: '/home/ada/.config/goose/config.yaml',
    });
    expect(on('win32', { APPDATA: 'C:/Users/ada/Roaming' })).toMatchObject({
      'claude-desktop': 'C:/Users/ada/Roaming/Claude/claude_desktop_config.json',
      vscode: 'C:/Users/ada/Roaming/Code/User/mcp.json',
      zed: 'C:/Users/ada/Roaming/Zed/settings.json',
      goose: 'C:/Users/ada/Roaming/Block/goose/config/config.yaml',
    });
    expect(on('linux', { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d' })).toMatchObject({
      vscode: '/x/Code/User/mcp.json',
      zed: '/x/zed/settings.json',
      codex: '/c/config.toml',
      'claude-code': '/d/.claude.json',
    });
  });

  it('include those of the project and of the profiles of VS Code', () => {
    const home = mkdtempSync(join(tmpdir(), 'toolwright-'));
    mkdirSync(join(home, '.config/Code/User/profiles/-7f2/'), { recursive: true });
    expect(client('vscode').files({ ...machine, home })).toEqual([
      join(home, '.config/Code/User/mcp.json'),
      join(home, '.config/Code/User/profiles/-7f2/mcp.json'),
      join(home, '.config/Code - Insiders/User/mcp.json'),
      '/projects/shop/.vscode/mcp.json',
    ]);
    const project = ['claude-code', 'cursor', 'codex', 'gemini', 'zed'].map((name) => client(name).files(machine)[1]);
    expect(project).toEqual(
      ['.mcp.json', '.cursor/mcp.json', '.codex/config.toml', '.gemini/settings.json', '.zed/settings.json'].map(
        (file) => `/projects/shop/${file}`,
      ),
    );
  });
});

describe('the servers of clients', () => {
  test('opencode, with comments, a command as a list, and its variables', () => {
    const text = `{ "$schema": "x", "mcp": { // mine
      "a": { "type": "local", "command": ["bun", "x", "a"], "environment": { "K": "{env:KEY}", "N": 7 }, "enabled": false, "timeout": 9 },
      "b": { "type": "remote", "url": "https://b.example/mcp", "headers": { "A": "Bearer {file:~/t}" }, "oauth": false, },
    } }`;
    expect(read('opencode', text)).toMatchObject({
      servers: {
        a: { command: 'bun', args: ['x', 'a'], env: { K: '${KEY}', N: 7 }, enabled: false, startTimeoutMs: 9 },
        b: { url: 'https://b.example/mcp', headers: { A: 'Bearer ${file:~/t}' }, oauth: false },
      },
      notes: ['set KEY in the environment of Toolwright'],
      left: [],
    });
  });

  test('Cline and Roo Code, with seconds and the folder of the project', () => {
    const text = JSON.stringify({
      mcpServers: {
        a: { command: 'a', disabled: true, autoApprove: ['x'], alwaysAllow: [], timeout: 60, type: 'stdio' },
        b: {
          type: 'streamableHttp',
          url: 'https://b.example/mcp',
          headers: { X: '${env:TOKEN}' },
          disabledTools: ['z'],
        },
        c: { transport: { type: 'sse', url: 'https://c.example/sse' } },
      },
    });
    expect(read('cline', text).servers).toEqual({
      a: { command: 'a', enabled: false, timeoutMs: 60_000 },
      b: { type: 'http', url: 'https://b.example/mcp', headers: { X: '${env:TOKEN}' }, tools: { deny: ['z'] } },
      c: { type: 'sse', url: 'https://c.example/sse' },
    });
    const project = JSON.stringify({
      mcpServers: {
        a: { command: 'a', cwd: '${workspaceFolder}', watchPaths: [] },
        b: { type: 'streamable-http', url: 'http://b' },
      },
    });
    expect(read('roo', project, '/projects/shop/.roo/mcp.json').servers).toEqual({
      a: { command: 'a', cwd: '/projects/shop' },
      b: { type: 'http', url: 'http://b' },
    });
  });

  test('GitHub Copilot CLI, with its types, tools and variables', () => {
    const text = JSON.stringify({
      mcpServers: {
        a: { type: 'local', command: 'a', args: [], tools: ['*'], env: { K: '$KEY', L: '${KEY:-x}' }, timeout: 5 },
        b: { type: 'http', url: 'https://b.example/', tools: ['one'] },
      },
    });
    expect(read('copilot-cli', text).servers).toEqual({
      a: { command: 'a', args: [], env: { K: '${KEY}', L: '${KEY:-x}' }, timeoutMs: 5 },
      b: { type: 'http', url: 'https://b.example/', tools: { allow: ['one'] } },
    });
  });

  test('Kiro, Junie and AI Assistant', () => {
    const text = JSON.stringify({
      mcpServers: {
        a: { command: 'a', env: { K: '${KEY}' }, autoApprove: [], disabledTools: ['z'], disabled: false },
        b: { url: 'https://b.example/', headers: { A: 'Bearer ${KEY}' }, enabled: false },
      },
    });
    for (const name of ['kiro', 'junie', 'jetbrains'])
      expect(read(name, text).servers).toEqual({
        a: { command: 'a', env: { K: '${KEY}' }, tools: { deny: ['z'] } },
        b: { url: 'https://b.example/', headers: { A: 'Bearer ${KEY}' }, enabled: false },
      });
  });

  test('Claude Desktop', () => {
    const text =
      '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "a", "/tmp"], "env": { "A": "1" } }, "x": { "args": [] } }, "theme": "dark" }';
    expect(read('claude-desktop', text)).toEqual({
      servers: { files: { command: 'npx', args: ['-y', 'a', '/tmp'], env: { A: '1' } } },
      notes: [],
      left: [{ name: 'x', reason: expect.stringContaining('expected one of "command"') }],
    });
  });

  test('Claude Code, of the user, of the project, and of the user in the project', () => {
    const text = JSON.stringify({
      userID: 'x',
      mcpServers: {
        web: {
          type: 'http',
          url: 'https://a.example/mcp',
          headers: { A: '${TOKEN_OF_ADA}' },
          oauth: { clientId: 'c' },
        },
      },
      projects: {
        '/projects/shop': { mcpServers: { db: { type: 'stdio', command: 'db', args: [], env: {} } } },
        '/projects/other': { mcpServers: { other: { command: 'other' } } },
      },
    });
    const { servers, notes } = read('claude-code', text);
    expect(servers).toEqual({
      web: { type: 'http', url: 'https://a.example/mcp', headers: { A: '${TOKEN_OF_ADA}' } },
      db: { command: 'db', args: [], env: {} },
    });
    expect(notes).toEqual([
      'it logs in by OAuth, and Toolwright needs a login of its own',
      'set TOKEN_OF_ADA in the environment of Toolwright',
    ]);
    expect(
      read(
        'claude-code',
        '{"mcpServers":{"a":{"type":"sse","url":"https://a.example/sse"}}}',
        '/projects/shop/.mcp.json',
      ).servers,
    ).toEqual({
      a: { type: 'sse', url: 'https://a.example/sse' },
    });
  });

  test('Cursor', () => {
    const text = `{
      // the team's servers
      "mcpServers": {
        "a": { "command": "\${userHome}/bin/a", "envFile": "\${workspaceFolder}/.env", "env": { "K": "\${env:KEY_OF_A}" } },
        "b": { "url": "https://b.example/mcp", "auth": { "CLIENT_ID": "x" } },
      },
    }`;
    const found = read('cursor', text, '/projects/shop/.cursor/mcp.json');
    expect(found.servers).toEqual({
      a: { command: '/home/ada/bin/a', envFile: '/projects/shop/.env', env: { K: '${env:KEY_OF_A}' } },
      b: { url: 'https://b.example/mcp' },
    });
    const inHome = read('cursor', '{ "mcpServers": { "a": { "command": "a", "cwd": "${workspaceFolder}" } } }');
    expect(inHome.notes[0]).toContain('${workspaceFolder} depends on the open project');
  });

  test('VS Code, with questions, envFile and types', () => {
    const text = `{
      "inputs": [{ "id": "github-token", "type": "promptString", "description": "Token of GitHub", "password": true }],
      "servers": {
        "github": { "type": "http", "url": "https://gh.example/mcp", "headers": { "Authorization": "Bearer \${input:github-token}" } },
        "db": { "type": "stdio", "command": "npx", "args": ["-y", "db"], "envFile": "\${workspaceFolder}/.env", "dev": { "watch": "x" }, "sandboxEnabled": true },
      }
    }`;
    expect(read('vscode', text, '/projects/shop/.vscode/mcp.json')).toEqual({
      servers: {
        github: { type: 'http', url: 'https://gh.example/mcp', headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } },
        db: { command: 'npx', args: ['-y', 'db'], envFile: '/projects/shop/.env' },
      },
      notes: [
        'the question "github-token" (Token of GitHub) became the variable GITHUB_TOKEN',
        'set GITHUB_TOKEN in the environment of Toolwright',
        'left out "sandboxEnabled", which Toolwright does not have',
      ],
      left: [],
    });
  });

  test('Windsurf and LM Studio', () => {
    const text =
      '{ "mcpServers": { "a": { "serverUrl": "https://a.example/mcp", "disabled": true, "disabledTools": ["x"] }, "b": { "command": "b", "disabled": false } } }';
    expect(read('windsurf', text).servers).toEqual({
      a: { url: 'https://a.example/mcp', enabled: false, tools: { deny: ['x'] } },
      b: { command: 'b' },
    });
    expect(
      read('lm-studio', '{ "mcpServers": { "a": { "url": "https://a.example/mcp", "headers": { "A": "b" } } } }')
        .servers,
    ).toEqual({
      a: { url: 'https://a.example/mcp', headers: { A: 'b' } },
    });
  });

  test('Codex', () => {
    const text = `
model = "x" # a comment
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["DOCS_KEY_OF_ADA", { name = "OTHER_OF_ADA" }]
startup_timeout_sec = 2.5
tool_timeout_sec = 90
enabled_tools = ["a"]
disabled_tools = ["b"]
[mcp_servers.docs.env]
A = "1"
[mcp_servers."my web"]
url = "https://a.example/mcp"
bearer_token_env_var = "WEB_TOKEN_OF_ADA"
http_headers = { "X-A" = "b" }
env_http_headers = { "X-C" = "C_OF_ADA" }
headers = { "X-Ignored" = "b" }
enabled = false
`;
    const { servers, notes } = read('codex', text);
    expect(servers).toEqual({
      docs: {
        command: 'npx',
        args: ['-y', 'docs'],
        env: { DOCS_KEY_OF_ADA: '${DOCS_KEY_OF_ADA}', OTHER_OF_ADA: '${OTHER_OF_ADA}', A: '1' },
        startTimeoutMs: 2_500,
        timeoutMs: 90_000,
        tools: { allow: ['a'], deny: ['b'] },
      },
      'my web': {
        url: 'https://a.example/mcp',
        headers: { Authorization: 'Bearer ${WEB_TOKEN_OF_ADA}', 'X-A': 'b', 'X-C': '${C_OF_ADA}' },
        enabled: false,
      },
    });
    expect(notes).toContain('left out "headers", which Codex ignores too: it reads "http_headers"');
  });

  test('Gemini CLI', () => {
    const text = JSON.stringify({
      mcp: { excluded: ['off'] },
      mcpServers: {
        http: { httpUrl: 'https://a.example/mcp', headers: { A: 'Bearer $TOKEN_OF_G' }, timeout: 5_000, trust: true },
        sse: { url: 'https://a.example/sse', includeTools: ['a'], excludeTools: ['b'] },
        typed: { url: 'https://a.example/mcp', type: 'http' },
        off: { command: 'off', env: { A: '${B_OF_G}', C: 'cost $5' } },
      },
    });
    expect(read('gemini', text).servers).toEqual({
      http: { url: 'https://a.example/mcp', type: 'http', headers: { A: 'Bearer ${TOKEN_OF_G}' }, timeoutMs: 5_000 },
      sse: { url: 'https://a.example/sse', type: 'sse', tools: { allow: ['a'], deny: ['b'] } },
      typed: { url: 'https://a.example/mcp', type: 'http' },
      off: { command: 'off', env: { A: '${B_OF_G}', C: 'cost $5' }, enabled: false },
    });
  });

  test('Zed', () => {
    const text = `{ "theme": "One", /* mine */ "context_servers": {
      "new": { "source": "custom", "enabled": true, "command": "a", "args": ["b"], "env": { "C": "d" } },
      "old": { "command": { "path": "/bin/a", "args": ["b"], "env": { "C": "d" } }, "settings": {} },
      "web": { "url": "https://a.example/mcp", "headers": { "A": "b" } },
      "postgres": { "source": "extension", "settings": { "database_url": "x" } },
      "older": { "settings": { "x": 1 } },
    }, }`;
    const { servers, left } = read('zed', text);
    expect(servers).toEqual({
      new: { command: 'a', args: ['b'], env: { C: 'd' } },
      old: { command: '/bin/a', args: ['b'], env: { C: 'd' } },
      web: { url: 'https://a.example/mcp', headers: { A: 'b' } },
    });
    expect(left.map(({ name }) => name)).toEqual(['postgres', 'older']);
    expect(left[0]?.reason).toContain('an extension of Zed starts it');
  });

  test('Goose', () => {
    const text = `
GOOSE_MODEL: x # mine
extensions:
  developer: { enabled: true, type: builtin, name: developer }
  git:
    enabled: false
    type: stdio
    cmd: uvx
    args: [mcp-server-git]
    envs: { A: "1" }
    env_keys: [GIT_TOKEN_OF_ADA]
    timeout: 300
  older: { enabled: true, config: { type: stdio, cmd: old } }
  web: { enabled: true, type: streamable_http, uri: https://a.example/mcp, headers: { A: b } }
`;
    const { servers, left } = read('goose', text);
    expect(servers).toEqual({
      git: {
        enabled: false,
        command: 'uvx',
        args: ['mcp-server-git'],
        env: { A: '1', GIT_TOKEN_OF_ADA: '${GIT_TOKEN_OF_ADA}' },
        timeoutMs: 300_000,
      },
      older: { command: 'old' },
      web: { url: 'https://a.example/mcp', headers: { A: 'b' } },
    });
    expect(left).toEqual([{ name: 'developer', reason: 'it is a part of Goose' }]);
  });

  test('Continue', () => {
    const text = `
name: mine
mcpServers:
  - name: git
    command: uvx
    args: [mcp-server-git]
    env: { TOKEN: "\${{ secrets.GIT_TOKEN }}" }
  - name: web
    type: streamable-http
    url: https://a.example/mcp
    requestOptions: { headers: { A: b } }
`;
    expect(read('continue', text).servers).toEqual({
      git: { command: 'uvx', args: ['mcp-server-git'], env: { TOKEN: '${GIT_TOKEN}' } },
      web: { url: 'https://a.example/mcp', headers: { A: 'b' } },
    });
  });

  it.each(CLIENTS.map(({ name }) => name))('%s: bad input is an error with the place', (name) => {
    const isToml = name === 'codex';
    const isYaml = name === 'goose' || name === 'continue';
    const broken = isToml
      ? '[mcp_servers.a]\ncommand = "secret'
      : isYaml
        ? 'a: [1\nb: "secret'
        : '{ "mcpServers": { "a": "secret" "b" } }';
    expect(() => read(name, broken)).toThrow(/line \d+, column \d+/);
    expect(() => read(name, broken)).not.toThrow(/secret/);
    expect(read(name, '')).toEqual({ servers: {}, notes: [], left: [] });
    for (const value of ['5', '"text"', '[]', 'null', 'true']) {
      const text = isToml
        ? `mcp_servers = ${value === 'null' ? '0' : value}`
        : `{ "mcpServers": ${value}, "servers": ${value}, "context_servers": ${value}, "extensions": ${value}, "mcp": ${value} }`;
      const isNone = isToml || value === 'null' || (name === 'continue' && value === '[]');
      if (isNone) expect(read(name, text).servers).toEqual({});
      else expect(() => read(name, text)).toThrow('expected an object with one entry per server');
    }
    const wrong = isToml
      ? 'mcp_servers = { a = 5 }'
      : name === 'continue'
        ? 'mcpServers: [5]'
        : '{ "mcpServers": { "a": 5 }, "servers": { "a": 5 }, "context_servers": { "a": 5 }, "extensions": { "a": 5 }, "mcp": { "a": 5 } }';
    expect(read(name, wrong)).toMatchObject({
      servers: {},
      left: [{ name: name === 'continue' ? 'server-1' : 'a', reason: 'its entry is no object' }],
    });
  });

  it('with wrong values stay with the client, with the reason', () => {
    const text =
      '{ "mcpServers": { "a": { "command": 5 }, "b": { "url": "ftp://x" }, "c": { "command": "c", "args": "x" }, "__proto__": { "command": "d" } } }';
    const { servers, left } = read('cursor', text);
    expect(Object.keys(servers)).toEqual(['__proto__']);
    expect(left).toEqual([
      { name: 'a', reason: 'command: expected a string, got 5' },
      { name: 'b', reason: 'url: expected an http:// or https:// URL' },
      { name: 'c', reason: 'args: expected a list, got a string; write it as ["…"]' },
    ]);
  });
});

describe('odd files', () => {
  const NPX = { command: 'npx', args: ['-y', 'x'] };

  it.each([
    ['opencode', { mcp: { a: { ...NPX, enabled: 'false' } } }],
    ['cline', { mcpServers: { a: { ...NPX, disabled: 'true' } } }],
    ['roo', { mcpServers: { a: { ...NPX, disabled: 1 } } }],
    ['goose', { extensions: { a: { cmd: 'npx', args: ['-y', 'x'], enabled: 'no' } } }],
  ])('%s: a server that is disabled in words stays disabled', (name, config) => {
    expect(read(name, JSON.stringify(config)).servers).toEqual({ a: { ...NPX, enabled: false } });
  });

  it.each([
    ['opencode', '{"mcp":[{"name":"a","command":"x"}]}', '"mcp" is a list'],
    ['cline', '{"mcpServers":"x"}', '"mcpServers" is a string'],
    ['kiro', '{"mcpServers":[]}', '"mcpServers" is a list'],
    ['goose', 'extensions:\n  - name: a\n', '"extensions" is a list'],
    ['continue', 'mcpServers: x\n', '"mcpServers" is a string'],
  ])('%s: servers in another form are reported', (name, text, problem) => {
    expect(() => read(name, text)).toThrow(`${problem}; expected an object with one entry per server.`);
  });

  it('null stands for an absent variable or header', () => {
    const text = JSON.stringify({ mcpServers: { a: { ...NPX, env: { A: null, B: 'b' } } } });
    expect(read('jetbrains', text).servers).toEqual({ a: { ...NPX, env: { B: 'b' } } });
    expect(read('goose', 'extensions:\n  a: {cmd: x, envs: {A: null}}\n').servers).toEqual({
      a: { command: 'x', env: {} },
    });
  });

  it.each([
    ['cline', { timeout: '60' }, { timeoutMs: 60_000 }, []],
    ['kiro', { timeout: '60000' }, { timeoutMs: 60_000 }, []],
    ['cline', { timeout: 'long' }, {}, ['left out the limit "long", which is not a number of seconds']],
    ['copilot-cli', { tools: 'get_issue' }, { tools: { allow: ['get_issue'] } }, []],
    ['copilot-cli', { tools: '*' }, {}, []],
    ['roo', { disabledTools: 'drop' }, { tools: { deny: ['drop'] } }, []],
  ])('%s: %j is read', (name, members, entry, notes) => {
    const { servers, notes: noted } = read(name, JSON.stringify({ mcpServers: { a: { ...NPX, ...members } } }));
    expect([servers.a, noted]).toEqual([{ ...NPX, ...entry }, notes]);
  });

  it('Continue: a server without a name gets its place as its name', () => {
    expect(read('continue', 'mcpServers:\n  - text\n  - {command: y}\n')).toEqual({
      servers: { 'server-2': { command: 'y' } },
      notes: [],
      left: [{ name: 'server-1', reason: 'its entry is no object' }],
    });
  });
});
