import { join } from 'node:path';
import type { Client, Machine } from './client.ts';
import { editorText } from './editors.ts';
import { COMMON, type Conversion, drop, isRecord, milliseconds, noted, seconds, take, tools } from './entry.ts';
import { programFolder } from './folders.ts';
import { jsonClient } from './json-client.ts';

const LOGIN = 'it logs in by OAuth, and Toolwright needs a login of its own';
/** Editors that run extensions of VS Code. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

const RULES: Conversion['rules'] = {
  ...COMMON,
  type: (value, { entry }) => {
    if (value === 'sse') entry.type = 'sse';
    if (/^(http|streamable-?http)$/i.test(String(value))) entry.type = 'http';
  },
  disabledTools: tools('deny'),
  autoApprove: drop,
  alwaysAllow: drop,
  oauth: noted(LOGIN),
};

/**
 * Cline, as an extension and as a command: `cline_mcp_settings.json` with `timeout` in seconds and the type `streamableHttp`
 * (https://docs.cline.bot/mcp/mcp-overview).
 */
export const cline: Client = jsonClient({
  name: 'cline',
  title: 'Cline',
  files: (machine) => [
    ...extensionFiles(machine, 'saoudrizwan.claude-dev', 'cline_mcp_settings.json'),
    machine.env.CLINE_MCP_SETTINGS_PATH ||
      join(machine.env.CLINE_DIR || join(machine.home, '.cline'), 'data', 'settings', 'cline_mcp_settings.json'),
  ],
  groups: () => [['mcpServers']],
  conversion: (context) => ({
    rules: {
      ...RULES,
      transport: (value, draft) => {
        for (const [key, member] of Object.entries(isRecord(value) ? value : {})) RULES[key]?.(member, draft);
      },
      transportType: (value, draft) => RULES.type?.(value, draft),
      timeout: seconds('timeoutMs'),
      remoteConfigured: drop,
      metadata: drop,
    },
    text: editorText(context),
  }),
});

/**
 * Roo Code: `mcp_settings.json` of the extension and `.roo/mcp.json`, with `timeout` in seconds, `${env:X}` and the type
 * `streamable-http` (https://docs.roocode.com/features/mcp/using-mcp-in-roo).
 */
export const roo: Client = jsonClient({
  name: 'roo',
  title: 'Roo Code',
  files: (machine) => [
    ...extensionFiles(machine, 'rooveterinaryinc.roo-cline', 'mcp_settings.json'),
    join(machine.cwd, '.roo', 'mcp.json'),
  ],
  groups: () => [['mcpServers']],
  conversion: (context) => ({
    rules: { ...RULES, timeout: seconds('timeoutMs'), watchPaths: drop },
    text: editorText(context),
  }),
});

/**
 * GitHub Copilot CLI: `mcp-config.json` with the types `local`, `stdio`, `http` and `sse`, and `tools`, where `*` means all
 * (https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers).
 */
export const copilotCli: Client = jsonClient({
  name: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  files: ({ home, cwd, env }) => [
    join(env.COPILOT_HOME || join(env.XDG_CONFIG_HOME || home, '.copilot'), 'mcp-config.json'),
    join(cwd, '.github', 'mcp.json'),
  ],
  groups: () => [['mcpServers']],
  conversion: () => ({
    rules: {
      ...RULES,
      tools: (value, draft) => {
        if (!(Array.isArray(value) ? value : [value]).includes('*')) tools('allow')(value, draft);
      },
      timeout: milliseconds('timeoutMs'),
      oauthClientId: noted(LOGIN),
      oauthPublicClient: drop,
      source: drop,
      sourcePath: drop,
    },
    text: (text) => text.replace(/\$([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`),
  }),
  ownEntry: ({ command, args }) => ({ type: 'local', command, args, tools: ['*'] }),
});

/** Kiro, the editor and the command: `.kiro/settings/mcp.json` with `${X}` (https://kiro.dev/docs/mcp/configuration). */
export const kiro: Client = jsonClient({
  name: 'kiro',
  title: 'Kiro',
  files: ({ home, cwd }) => [home, cwd].map((folder) => join(folder, '.kiro', 'settings', 'mcp.json')),
  groups: () => [['mcpServers']],
  conversion: () => ({ rules: { ...RULES, timeout: milliseconds('timeoutMs'), oauthScopes: noted(LOGIN) } }),
});

/** Junie of JetBrains: `.junie/mcp/mcp.json` (https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html). */
export const junie: Client = jsonClient({
  name: 'junie',
  title: 'JetBrains Junie',
  files: ({ home, cwd }) => [home, cwd].map((folder) => join(folder, '.junie', 'mcp', 'mcp.json')),
  groups: () => [['mcpServers']],
  conversion: () => ({ rules: RULES }),
});

/**
 * AI Assistant of JetBrains since 2025.3: `.ai/mcp/mcp.json` (https://youtrack.jetbrains.com/issue/LLM-22682 and LLM-26654). Older
 * versions keep their servers in the settings of each editor, which Toolwright does not read.
 */
export const jetbrains: Client = jsonClient({
  name: 'jetbrains',
  title: 'JetBrains AI Assistant',
  files: ({ home, cwd }) => [home, cwd].map((folder) => join(folder, '.ai', 'mcp', 'mcp.json')),
  groups: () => [['mcpServers']],
  conversion: () => ({ rules: { ...RULES, workingDirectory: take('cwd') } }),
});

function extensionFiles(machine: Machine, extension: string, file: string): string[] {
  const folder = programFolder(machine);
  return EDITORS.map((editor) => join(folder, editor, 'User', 'globalStorage', extension, 'settings', file));
}
