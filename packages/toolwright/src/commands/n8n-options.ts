import { type Command, defineCommand } from './command.ts';
import { JSON_OUTPUT, pick, positive } from './shared-options.ts';

export const n8nCommand: Command = defineCommand({
  name: 'n8n',
  summary: 'Fetch catalogs of n8n nodes and validate workflows',
  usage: ['sync [VERSION] [options]', 'validate FILE [options]', 'versions [--json]'],
  options: {
    from: {
      type: 'string',
      multiple: true,
      value: 'SOURCE',
      text: 'sync: npm package, folder of tarballs, or URL of an instance',
      defaultText: 'the npm registry',
    },
    templates: { type: 'string', value: 'N', text: 'sync: fetch the N most used templates instead' },
    level: { type: 'string', value: 'NAME', text: 'validate: publish or lint', defaultText: 'lint' },
    catalog: {
      type: 'string',
      value: 'NAME',
      text: 'validate: version, file, or "example"',
      defaultText: 'the newest one that is synced',
    },
    published: { type: 'string', multiple: true, value: 'ID', text: 'validate: workflow that is published' },
    json: JSON_OUTPUT,
  },
  notes: ['--from and --published can be given more than once. "-" as FILE reads standard input.'],
  examples: [
    ['toolwright n8n sync', 'fetch the catalog of the newest n8n'],
    ['toolwright n8n validate workflow.json --catalog example --level publish', 'validate without a sync'],
  ],
  exitCodes: { 1: 'the workflow has errors' },
  async run({ json, level, catalog, from, published, ...values }, words, output) {
    const { n8n } = await import('./n8n.ts');
    const templates = positive('templates', values.templates);
    const picked = { ...pick('level', level), ...pick('catalog', catalog), ...pick('templates', templates) };
    return n8n({ words, json, ...picked, ...pick('from', from), ...pick('published', published) }, output);
  },
});
