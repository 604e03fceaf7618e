import { type Command, defineCommand, pick, UsageError } from '@toolwright/core/command';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

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
    const [{ doctor }, { prepareProject, UntrustedFilesError }] = await Promise.all([
      import('./doctor.ts'),
      import('../project/prepare.ts'),
    ]);
    const preparation = { command: 'doctor', words, options: doctorCommand.options, config };
    const untrusted = await prepareProject(preparation, output).catch((error: unknown) => {
      if (error instanceof UntrustedFilesError) return error;
      throw error;
    });
    return doctor({ ...pick('config', config), ...pick('untrusted', untrusted ?? undefined), json }, output);
  },
});
