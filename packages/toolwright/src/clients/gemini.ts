import { join } from 'node:path';
import type { Client } from './client.ts';
import { COMMON, drop, isRecord, noted, take, tools } from './entry.ts';
import { jsonClient } from './json-client.ts';

/** Gemini CLI: `httpUrl` is Streamable HTTP, and `url` the older HTTP+SSE. */
export const gemini: Client = jsonClient({
  name: 'gemini',
  title: 'Gemini CLI',
  files: ({ home, cwd }) => [join(home, '.gemini', 'settings.json'), join(cwd, '.gemini', 'settings.json')],
  groups: () => [['mcpServers']],
  conversion: ({ root }) => ({
    rules: {
      ...COMMON,
      url: (value, { entry }) => {
        if (entry.url === undefined) Object.assign(entry, { url: value, type: entry.type ?? 'sse' });
      },
      httpUrl: (value, { entry }) => void Object.assign(entry, { url: value, type: 'http' }),
      timeout: take('timeoutMs'),
      includeTools: tools('allow'),
      excludeTools: tools('deny'),
      trust: drop,
      oauth: noted('it logs in by OAuth, and Toolwright needs a login of its own'),
      authProviderType: noted('left out "authProviderType": Toolwright needs a login of its own'),
    },
    text: (text) => text.replace(/\$([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`),
    isDisabled: (name) => isExcluded(root.mcp, name),
  }),
});

/** Returns whether the settings of the client exclude a server. */
function isExcluded(mcp: unknown, name: string): boolean {
  const { allowed, excluded } = isRecord(mcp) ? mcp : {};
  return (Array.isArray(excluded) && excluded.includes(name)) || (Array.isArray(allowed) && !allowed.includes(name));
}
