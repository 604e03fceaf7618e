import { type Command, defineCommand, pick } from '@toolwright/core/command';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const migrateCommand: Command = defineCommand({
  name: 'migrate',
  summary: 'Copy a data folder or a store to another store, such as PostgreSQL',
  usage: ['--to STORE [options]'],
  options: {
    to: { type: 'string', value: 'STORE', text: 'Target: a postgres:// or redis:// URL' },
    from: {
      type: 'string',
      multiple: true,
      value: 'DIR',
      text: 'Source: a data folder, or the URL of a store',
      defaultText: 'the store of the configuration',
    },
    overwrite: { type: 'boolean', text: 'Replace entries of a target that is not empty' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'Stop all processes that use either store first. The source does not change.',
    'PostgreSQL receives executions, tasks, sessions, files, skills and audit records of the data folder too.',
  ],
  examples: [
    ['toolwright migrate --to postgres://db.example/toolwright', 'copy the store of the configuration'],
    ['toolwright migrate --from ./state --to postgres://db.example/toolwright --json', 'copy that of a data folder'],
  ],
  async run({ to, from, overwrite, config, json }, words, output) {
    const { migrate } = await import('./migrate.ts');
    return await migrate(
      { words, overwrite, json, ...pick('to', to), ...pick('from', from), ...pick('config', config) },
      output,
    );
  },
});
