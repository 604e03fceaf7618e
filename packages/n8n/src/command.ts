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
      text: 'sync: tarball, folder of packages, or URL of an instance',
      defaultText: 'the npm registry',
    },
    templates: { type: 'string', value: 'N', text: 'sync: fetch the N most used templates instead of a catalog' },
    level: {
      type: 'string',
      value: 'NAME',
      text: 'validate: publish (problems that n8n rejects) or lint (all)',
      defaultText: 'lint',
    },
    catalog: {
      type: 'string',
      value: 'NAME',
      text: 'validate: version, path, or "example" (built in)',
      defaultText: 'the newest synced version',
    },
    published: {
      type: 'string',
      multiple: true,
      value: 'ID',
      text: 'validate: id of a published workflow, which may be called',
    },
    json: { type: 'boolean', text: 'Print one JSON object on stdout and nothing else' },
  },
  notes: ['Repeat --from and --published for several values. "-" as FILE reads standard input.'],
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
