import { type Command, defineCommand, UsageError } from '@toolwright/core/command';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const dashboardCommand: Command = defineCommand({
  name: 'dashboard',
  summary: 'Open the dashboard of "toolwright serve" on this machine',
  usage: ['[options]'],
  options: {
    url: { type: 'string', value: 'URL', text: 'address of the server', defaultText: 'the running one' },
    print: { type: 'boolean', text: 'print the link, and do not open the browser' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'It finds the server that uses the same data folder, on any port.',
    'The link logs in once, within 5 minutes. A server with keys asks for a key instead.',
  ],
  examples: [
    ['toolwright dashboard', 'open the dashboard in the browser'],
    ['toolwright dashboard --print', 'print a link, for instance for a browser on another desktop'],
  ],
  async run({ url: given, print, json, ...values }, _words, output) {
    if (given !== undefined && !(/^https?:\/\//.test(given) && URL.canParse(given))) {
      throw new UsageError(`--url must be an http:// or https:// address, not "${given.slice(0, 100)}".`);
    }
    const [{ checkDataFolder, findConfig, loadConfig, parseConfig }, { openDashboard, serverUrl }, { openState }] =
      await Promise.all([
        import('@toolwright/core/config'),
        import('./dashboard.ts'),
        import('@toolwright/storage/shared-state'),
      ]);
    const path = findConfig({ path: values.config });
    const config = path === undefined ? parseConfig({}) : await loadConfig({ path });
    await checkDataFolder(config.dataDir);
    const url = await serverUrl(given, config.dataDir);
    await using state = await openState(config);
    const hasIssuer = config.auth.jwt !== undefined || config.auth.oidc !== undefined;
    return await openDashboard(state.store, { url, isOpened: !print && !json, json, hasIssuer }, output);
  },
});
