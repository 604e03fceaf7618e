import { type Command, defineCommand, pick, UsageError } from '@toolwright/core/command';
import { CONFIG, JSON_OUTPUT } from './shared-options.ts';

export const doctorCommand: Command = defineCommand({
  name: 'doctor',
  summary: 'Report what works on this machine, and what to install for more',
  usage: ['[options]'],
  options: { config: CONFIG, json: JSON_OUTPUT },
  examples: [
    ['toolwright doctor', 'check sandboxes, configuration and servers'],
    ['toolwright doctor --json', 'the same for programs'],
  ],
  exitCodes: { 2: 'something needs a fix, or wrong usage' },
  async run({ config, json }, words, output) {
    if (words.length > 0) throw new UsageError(`"doctor" accepts no argument; remove "${words[0]}".`);
    const { doctor } = await import('./doctor.ts');
    return doctor({ ...pick('config', config), json }, output);
  },
});
