import { type Command, defineCommand, pick, positive } from '@toolwright/core/command';
import { withToolwright } from './lifetime.ts';
import { CONFIG, JSON_OUTPUT, LANGUAGE, languageOf } from './shared-options.ts';

export const toolsCommand: Command = defineCommand({
  name: 'tools',
  summary: 'Search the tools of all servers, or show one',
  usage: ['[QUERY...] [options]', 'show NAME [options]'],
  options: {
    server: { type: 'string', value: 'NAME', text: 'Search this server only' },
    limit: { type: 'string', value: 'N', text: 'Maximum number of tools that a search returns', defaultText: '5' },
    language: { ...LANGUAGE, text: 'Language of the signatures: typescript or python' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: ['Without a query, it lists the servers.'],
  examples: [
    ['toolwright tools create issue --limit 3', 'find tools by words'],
    ['toolwright tools show github__create_issue', 'print the documentation of one tool'],
  ],
  exitCodes: { 4: 'the list has a server that is not ready, or a search could reach none' },
  async run(values, words, output) {
    const limit = positive('limit', values.limit);
    const language = languageOf(values.language) ?? 'typescript';
    const [{ loadConfig }, { tools }] = await Promise.all([import('@toolwright/core/config'), import('./tools.ts')]);
    const { file } = loadConfig({ path: values.config });
    const settings = { words, language, json: values.json, ...pick('server', values.server), ...pick('limit', limit) };
    return withToolwright({ config: file }, (toolwright) => tools(toolwright, settings, output));
  },
});
