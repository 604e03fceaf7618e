import { type Command, defineCommand, pick } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const sessionsCommand: Command = defineCommand({
  name: 'sessions',
  summary: 'List, show and remove sessions, and their files',
  usage: [
    '[list] [options]',
    'show ID [options]',
    'resume ID [options]',
    'files ID [get PATH [FILE] | put FILE [PATH]] [options]',
    'remove ID [options]',
  ],
  options: { config: CONFIG, json: JSON_OUTPUT },
  notes: [
    '"show" prints the executions. "resume" prints the log and the files, for a person or an agent that continues.',
    '"files" lists the files of a session, saves one here, or adds one of here.',
    '"remove" deletes the session and its files.',
  ],
  examples: [
    ['toolwright sessions', 'list all sessions'],
    ['toolwright sessions resume monthly', 'print the log and the files of one'],
  ],
  async run({ config: path, json }, words, output) {
    const [{ findConfig }, { sessions }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./sessions.ts'),
    ]);
    return withToolwright(pick('config', findConfig({ path })), (toolwright) =>
      sessions(toolwright, { words, json }, output),
    );
  },
});
