import { type Command, defineCommand, pick } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

const SERVER = { type: 'string', value: 'NAME', text: 'List this server only' } as const;
const EXIT_CODES = { 4: 'internal or upstream error, or a server could not list' };

export const resourcesCommand: Command = defineCommand({
  name: 'resources',
  summary: 'List the resources of servers, and read one',
  usage: ['[list] [options]', 'read SERVER URI [options]'],
  options: {
    server: SERVER,
    out: { type: 'string', value: 'FILE', text: 'read: new file for the content', defaultText: 'standard output' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: ['Texts have placeholders in place of personal data.'],
  examples: [
    ['toolwright resources --server github', 'list the resources and templates of one server'],
    ['toolwright resources read github repo://acme/README.md', 'print a resource'],
    ['toolwright resources read docs docs://logo.png --out logo.png', 'store a resource with bytes'],
  ],
  exitCodes: EXIT_CODES,
  async run({ config: path, json, server, out }, words, output) {
    const [{ loadConfig }, { resources }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./resources.ts'),
    ]);
    const args = { words, json, ...pick('server', server), ...pick('out', out) };
    return withToolwright({ config: (await loadConfig({ path })).file }, (toolwright, signal) =>
      resources(toolwright, { ...args, signal }, output),
    );
  },
});

export const promptsCommand: Command = defineCommand({
  name: 'prompts',
  summary: 'List the prompts of servers, and fill one',
  usage: ['[list] [options]', 'get SERVER NAME [ARGUMENT=TEXT...] [options]'],
  options: { server: SERVER, config: CONFIG, json: JSON_OUTPUT },
  notes: ['Texts have placeholders in place of personal data.'],
  examples: [
    ['toolwright prompts', 'list all prompts and their arguments'],
    ['toolwright prompts get github review language=ruby', 'print the messages of one'],
  ],
  exitCodes: EXIT_CODES,
  async run({ config: path, json, server }, words, output) {
    const [{ loadConfig }, { prompts }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./prompts.ts'),
    ]);
    const args = { words, json, ...pick('server', server) };
    return withToolwright({ config: (await loadConfig({ path })).file }, (toolwright, signal) =>
      prompts(toolwright, { ...args, signal }, output),
    );
  },
});
