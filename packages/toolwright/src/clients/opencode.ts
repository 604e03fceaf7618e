import { join } from 'node:path';
import type { Client } from './client.ts';
import { COMMON, type Conversion, merged, milliseconds, noted } from './entry.ts';
import { jsonClient } from './json-client.ts';

const CONVERSION: Conversion = {
  rules: {
    ...COMMON,
    command: (value, { entry }) => {
      if (!Array.isArray(value)) entry.command = value;
      else Object.assign(entry, { command: value[0] }, value.length > 1 ? { args: value.slice(1) } : {});
    },
    environment: merged('env'),
    // The limit of the list of tools, not of a call.
    timeout: milliseconds('startTimeoutMs'),
    oauth: (value, draft) => {
      if (value === false) draft.entry.oauth = false;
      else noted('it logs in by OAuth, and Toolwright needs a login of its own')(value, draft);
    },
  },
  text: (text) =>
    text
      .replace(/\{env:([A-Za-z_]\w*)\}/g, (_, name: string) => `\${${name}}`)
      .replace(/\{file:([^}]+)\}/g, (_, path: string) => `\${file:${path}}`),
};

/**
 * opencode: `mcp` in `opencode.json` or `opencode.jsonc`, with the command as a list, `environment` and `{env:X}`
 * (https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/config).
 */
export const opencode: Client = jsonClient({
  name: 'opencode',
  title: 'opencode',
  files: ({ home, cwd, env }) => [
    ...[join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode'), cwd].flatMap((folder) => [
      join(folder, 'opencode.json'),
      join(folder, 'opencode.jsonc'),
    ]),
    ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : []),
  ],
  groups: () => [['mcp']],
  conversion: () => CONVERSION,
  ownEntry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
});
