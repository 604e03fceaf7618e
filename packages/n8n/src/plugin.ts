import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin, SkillDraft } from '@toolwright/core';
import { n8nCommand } from './command.ts';
import { draftsPage } from './page/drafts-page.ts';
import { n8nSchema } from './schema.ts';
import type { N8nSettings } from './settings.ts';

/**
 * Creates the plugin with the servers `n8n-nodes`, `n8n-templates` and `n8n-workflows`, the command `n8n` and the skill
 * `n8n-workflow-builder`, and the page of drafts in the dashboard. Settings given here override the `n8n` object of the configuration file.
 */
export function n8nPlugin(settings: N8nSettings = {}): Plugin<N8nSettings> {
  return {
    name: '@toolwright/n8n',
    key: 'n8n',
    schema: ({ env, folder }) =>
      n8nSchema(env).transform((read) =>
        read.cacheDir === undefined ? read : { ...read, cacheDir: resolve(folder, read.cacheDir) },
      ),
    connectors: async (read) => (await import('./servers.ts')).n8nConnectors({ ...read, ...settings }),
    commands: [n8nCommand],
    pages: [draftsPage],
    get skills() {
      return [readSkill('n8n-workflow-builder')];
    },
  };
}

/** Reads a skill that is installed with this package. */
function readSkill(name: string): SkillDraft {
  const folder = new URL(`../skills/${name}/`, import.meta.url);
  const files = readdirSync(folder).map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]);
  return { name, files: Object.fromEntries(files) };
}
