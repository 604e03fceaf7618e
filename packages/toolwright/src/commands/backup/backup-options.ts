import { type Command, defineCommand, pick } from '@toolwright/core/command';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const backupCommand: Command = defineCommand({
  name: 'backup',
  summary: 'Copy the data folder and the store to a new folder',
  usage: ['DIR [options]'],
  options: {
    'with-keys': { type: 'boolean', text: 'Copy the keys too: who has the backup then reads encrypted values' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'Stop all processes of the data folder or the cluster first. Keep the keys in another place than the backup.',
  ],
  examples: [
    ['toolwright backup /backups/monday', 'journals, sessions, tasks, skills and the store'],
    ['toolwright backup /backups/monday --with-keys --json', 'the keys too, and the numbers as JSON'],
  ],
  async run({ 'with-keys': keys, config, json }, words, output) {
    const { backup } = await import('./backup.ts');
    return await backup({ words, keys, json, ...pick('config', config) }, output);
  },
});

export const restoreCommand: Command = defineCommand({
  name: 'restore',
  summary: 'Copy a backup into an empty data folder and store',
  usage: ['DIR [options]'],
  options: { config: CONFIG, json: JSON_OUTPUT },
  notes: ['The data folder may have its keys already. Files that were changed since the backup are refused.'],
  examples: [
    ['toolwright restore /backups/monday', 'restore into the data folder and the store of the configuration'],
    ['toolwright restore /backups/monday --json', 'the numbers as JSON'],
  ],
  async run({ config, json }, words, output) {
    const { restore } = await import('./restore.ts');
    return await restore({ words, json, ...pick('config', config) }, output);
  },
});
