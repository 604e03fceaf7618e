import { type Command, defineCommand, pick, positive } from '@toolwright/core/command';

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
    json: { type: 'boolean', text: 'Print one JSON object on stdout and nothing else' },
  },
  notes: ['--from and --published can be given more than once. "-" as FILE reads standard input.'],
  examples: [
    ['toolwright n8n sync', 'fetch the catalog of the newest n8n'],
    ['toolwright n8n validate workflow.json --catalog example --level publish', 'validate without a sync'],
  ],
  exitCodes: { 1: 'the workflow has errors' },
  async run({ json, level, catalog, from, published, ...values }, words, output) {
    const { runN8nCommand } = await import('./run-command.ts');
    const templates = positive('templates', values.templates);
    const picked = { ...pick('level', level), ...pick('catalog', catalog), ...pick('templates', templates) };
    return runN8nCommand({ words, json, ...picked, ...pick('from', from), ...pick('published', published) }, output);
  },
});
