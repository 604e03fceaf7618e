import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CLIENTS } from './all.ts';
import type { Client, Machine } from './client.ts';

const machine: Machine = { home: '/home/ada', cwd: '/work/shop', platform: 'linux', env: {} };
const OWN = { command: 'npx', args: ['-y', 'toolwright', 'mcp', '--config', '/home/ada/toolwright.json'] };

function client(name: string): Client {
  const found = CLIENTS.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
}

describe('Toolwright in the place of the servers', () => {
  const replace = (name: string, text: string, servers: string[], file?: string) =>
    client(name).replace(text, file ?? client(name).files(machine)[0] ?? '', servers, OWN, machine);

  test('keeps comments, format and other settings of JSON', () => {
    const text =
      '{\n    // my settings\n    "theme": "One",\n    "context_servers": {\n        "a": { "command": "a" },\n        // stays\n        "b": { "settings": {} }\n    },\n    "vim_mode": true, // yes\n}\n';
    const replaced = replace('zed', text, ['a']);
    expect(replaced).toContain(
      '{\n    // my settings\n    "theme": "One",\n    "context_servers": {\n        // stays\n        "b": { "settings": {} },\n        "toolwright": {',
    );
    expect(replaced).toContain('    "vim_mode": true, // yes\n}\n');
    expect(replaced).toContain('"source": "custom"');
  });

  test('removes the servers of all places of Claude Code, and adds itself once', () => {
    const text = JSON.stringify(
      {
        mcpServers: { a: { command: 'a' } },
        projects: { '/work/shop': { mcpServers: { b: { command: 'b' } }, x: 1 } },
      },
      null,
      2,
    );
    expect(JSON.parse(replace('claude-code', text, ['a', 'b']))).toEqual({
      mcpServers: { toolwright: { type: 'stdio', ...OWN, alwaysLoad: true } },
      projects: { '/work/shop': { mcpServers: {}, x: 1 } },
    });
  });

  test.each(['claude-desktop', 'cursor', 'windsurf', 'gemini', 'lm-studio'])('starts a new file of %s', (name) => {
    expect(JSON.parse(replace(name, '', []))).toEqual({ mcpServers: { toolwright: OWN } });
  });

  test('VS Code has another object and a type', () => {
    expect(JSON.parse(replace('vscode', '{"inputs":[],"servers":{"a":{"command":"a"}}}', ['a']))).toEqual({
      inputs: [],
      servers: { toolwright: { type: 'stdio', ...OWN } },
    });
  });

  test('TOML keeps its other lines, comments included', () => {
    const text = `# mine
model = "x"

# the docs
[mcp_servers.docs]
command = "a" # why
args = [
  "[mcp_servers.fake]",
]

[mcp_servers.docs.env]
A = "1"

# about the profile
[profiles.fast] # quick
model = "y"
`;
    const replaced = replace('codex', text, ['docs']);
    expect(
      replaced.startsWith(
        '# mine\nmodel = "x"\n\n# the docs\n\n# about the profile\n[profiles.fast] # quick\nmodel = "y"\n',
      ),
    ).toBe(true);
    expect(parseToml(replaced)).toEqual({
      model: 'x',
      profiles: { fast: { model: 'y' } },
      mcp_servers: { toolwright: OWN },
    });
    expect(() => replace('codex', 'mcp_servers = { a = { command = "a" } }\n', ['a'])).toThrow(
      'are not in tables [mcp_servers.NAME]',
    );
    expect(() => replace('codex', 'x = """\n[mcp_servers.a]\ny"""\n', ['a'])).toThrow('are not in tables');
    expect(parseToml(replace('codex', '', []))).toEqual({ mcp_servers: { toolwright: OWN } });
  });

  test('YAML keeps comments', () => {
    const goose = replace(
      'goose',
      '# mine\nGOOSE_MODEL: x # why\nextensions:\n  a: { type: stdio, cmd: a }\n  developer: { type: builtin }\n',
      ['a'],
    );
    expect(goose).toContain('# mine\nGOOSE_MODEL: x # why\n');
    expect(parseYaml(goose)).toEqual({
      GOOSE_MODEL: 'x',
      extensions: {
        developer: { type: 'builtin' },
        toolwright: { enabled: true, type: 'stdio', name: 'toolwright', cmd: 'npx', args: OWN.args, timeout: 300 },
      },
    });
    const other = replace(
      'continue',
      '# mine\nname: x\nmcpServers:\n  # the shop\n  - name: a\n    command: a\n  - name: b\n    command: b\n',
      ['a'],
    );
    expect(other).toContain('# mine');
    expect(parseYaml(other)).toEqual({
      name: 'x',
      mcpServers: [
        { name: 'b', command: 'b' },
        { name: 'toolwright', ...OWN },
      ],
    });
    expect(parseYaml(replace('continue', '', []))).toEqual({ mcpServers: [{ name: 'toolwright', ...OWN }] });
    expect(parseYaml(replace('goose', '', []))).toMatchObject({ extensions: { toolwright: { cmd: 'npx' } } });
  });
});
