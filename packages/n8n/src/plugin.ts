import { resolve } from 'node:path';
import type { Plugin } from '@toolwright/core';
import { n8nCommand } from './command.ts';
import { n8nSchema } from './schema.ts';
import { n8nConnectors } from './servers.ts';
import type { N8nSettings } from './settings.ts';

/**
 * Creates the plugin with the servers `n8n-nodes`, `n8n-templates` and `n8n-workflows` and the command `n8n`. Settings given
 * here override the `n8n` object of the configuration file.
 */
export function n8nPlugin(settings: N8nSettings = {}): Plugin<N8nSettings> {
  return {
    name: '@toolwright/n8n',
    key: 'n8n',
    schema: ({ env, folder }) =>
      n8nSchema(env).transform((read) =>
        read.cacheDir === undefined ? read : { ...read, cacheDir: resolve(folder, read.cacheDir) },
      ),
    connectors: (read) => n8nConnectors({ ...read, ...settings }),
    commands: [n8nCommand],
  };
}
