import { type Command, defineCommand, pick, positive, UsageError } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT, LANGUAGE, languageOf, SERVERS } from '../shared-options.ts';

export const toolsCommand: Command = defineCommand({
  name: 'tools',
  summary: 'Search the tools of all servers, show one, or check those of a program',
  usage: [
    '[QUERY...] [options]',
    'show NAME [options]',
    'check FILE [options]',
    'pins [--approve NAME... | --all] [options]',
  ],
  options: {
    server: { type: 'string', value: 'NAME', text: 'Search this server only' },
    limit: { type: 'string', value: 'N', text: 'Maximum number of tools that a search returns', defaultText: '5' },
    language: { ...LANGUAGE, text: 'Language of the signatures: typescript or python' },
    approve: { type: 'string', multiple: true, value: 'NAME', text: 'pins: accept this tool as it is now' },
    all: { type: 'boolean', text: 'pins: accept all tools in quarantine' },
    servers: SERVERS,
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: ['Without a query, it lists the servers.'],
  examples: [
    ['toolwright tools create issue --limit 3', 'find tools by words'],
    ['toolwright tools show github__create_issue', 'print the documentation of one tool'],
    ['toolwright tools check report.ts', 'show which tools of a program or a skill are missing, and why'],
    ['toolwright tools pins', 'list accepted tools, and new, changed and suspicious ones'],
    ['toolwright tools pins --approve github__create_issue', 'accept the new definition of a tool'],
  ],
  exitCodes: {
    1: 'check: a tool cannot be called, or a call has wrong arguments',
    4: 'the list has a server that is not ready, or a search could reach none',
  },
  async run({ approve = [], all, ...values }, words, output) {
    const isPins = words[0] === 'pins' && (words.length === 1 || approve.length > 0);
    if (!isPins && (all || approve.length > 0)) throw new UsageError('Use --approve and --all with "tools pins".');
    const limit = positive('limit', values.limit);
    const given = languageOf(values.language);
    const language = given ?? 'typescript';
    const [{ loadConfig }, { tools }] = await Promise.all([import('@toolwright/core/config'), import('./tools.ts')]);
    const { file } = await loadConfig({ path: values.config });
    const settings = {
      words,
      language,
      given,
      json: values.json,
      pins: isPins ? { approve: [...approve, ...words.slice(1)], all } : undefined,
      ...pick('server', values.server),
      ...pick('limit', limit),
      ...pick('servers', values.servers),
    };
    return withToolwright({ config: file }, (toolwright) => tools(toolwright, settings, output));
  },
});
