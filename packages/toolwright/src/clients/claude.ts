import { join } from 'node:path';
import type { Client, Machine } from './client.ts';
import { COMMON, type Conversion, noted, take } from './entry.ts';
import { programFolder } from './folders.ts';
import { jsonClient } from './json-client.ts';

const LOGIN = 'it logs in by OAuth, and Toolwright needs a login of its own';

/** Claude Desktop: stdio servers. */
export const claudeDesktop: Client = jsonClient({
  name: 'claude-desktop',
  title: 'Claude Desktop',
  files: (machine) => [join(programFolder(machine), 'Claude', 'claude_desktop_config.json')],
  groups: () => [['mcpServers']],
  conversion: () => ({ rules: COMMON }),
});

const CODE: Conversion = {
  rules: {
    ...COMMON,
    oauth: noted(LOGIN),
    headersHelper: noted('left out "headersHelper"; use a command reference in "headers"'),
    timeout: (value, { entry }) => {
      if (typeof value === 'number') entry.timeoutMs = value;
    },
    alwaysLoad: take('alwaysLoad'),
  },
};

/** Claude Code: servers of the user, of the user in this project, and of the project. */
export const claudeCode: Client = jsonClient({
  name: 'claude-code',
  title: 'Claude Code',
  files: ({ home, cwd, env }) => [join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'), join(cwd, '.mcp.json')],
  groups: ({ cwd }: Machine, file) =>
    file.endsWith('.mcp.json') ? [['mcpServers']] : [['mcpServers'], ['projects', cwd, 'mcpServers']],
  conversion: () => CODE,
  ownEntry: ({ command, args }) => ({ type: 'stdio', command, args, alwaysLoad: true }),
});
