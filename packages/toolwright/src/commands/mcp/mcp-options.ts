import { type Command, defineCommand } from '@toolwright/core/command';
import { interruption, openServing } from '../lifetime.ts';
import { serverSettings } from '../server-settings.ts';
import { CONFIG, PROFILE, SANDBOX, SERVERS } from '../shared-options.ts';
import { keepYoungMemorySmall } from './young-memory.ts';

export const mcpCommand: Command = defineCommand({
  name: 'mcp',
  summary: 'Serve MCP on stdin and stdout, for a client on this machine',
  usage: ['[options]'],
  options: { config: CONFIG, profile: PROFILE, servers: SERVERS, sandbox: SANDBOX },
  notes: ['MCP clients start this command. Give them an absolute path for --config.'],
  examples: [
    ['toolwright mcp --config /home/ada/toolwright.json', 'serve the tools of one configuration'],
    ['toolwright mcp --profile full', 'list all tools of Toolwright itself, and not only two'],
    ['toolwright mcp --servers work', 'serve the servers and tools of the profile work'],
  ],
  async run(values, words) {
    keepYoungMemorySmall();
    const { file, config, options, mayReload, ...settings } = await serverSettings('mcp', values, words);
    const { checkDataFolder } = await import('@toolwright/core/config');
    const [{ mcp }] = await Promise.all([import('./mcp.ts'), checkDataFolder(config.dataDir)]);
    const signal = interruption();
    const { dataDir, store } = config;
    return mcp(() => openServing(options, mayReload), { ...settings, config: file, dataDir, store, signal });
  },
});
