import { type Command, defineCommand, pick, UsageError } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT, SANDBOX, SESSION } from '../shared-options.ts';

export const skillsCommand: Command = defineCommand({
  name: 'skills',
  summary: 'List, show, add, check and run skills',
  usage: [
    '[list [QUERY...]] [options]',
    'show NAME [VERSION] [options]',
    'add [DIR] [options]',
    'check DIR [--json]',
    'run NAME [--args JSON] [options]',
  ],
  options: {
    args: { type: 'string', value: 'JSON', text: 'run: arguments of the skill, as a JSON object', defaultText: '{}' },
    session: { ...SESSION, text: 'run: session whose files the skill sees' },
    sandbox: { ...SANDBOX, text: 'run: sandbox that runs the skill' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    '"add" saves a skill folder, or all skill folders in it, as skills of the user. Default: twelve starter skills.',
    '"check" tests a skill folder, or all folders in it that contain a SKILL.md.',
  ],
  examples: [
    ['toolwright skills check ./skills', 'test skills against the rules'],
    [`toolwright skills run weather --args '{"city":"Bonn"}'`, 'run a skill'],
  ],
  exitCodes: { 1: 'a skill breaks a rule, or its program failed', 3: 'a limit stopped the skill' },
  async run(values, words, output) {
    const [action, folder, more] = words;
    if (action === 'check') {
      if (folder === undefined || more !== undefined)
        throw new UsageError('"skills check" requires one folder: toolwright skills check ./skills');
      const { checkSkills } = await import('./skill-folders.ts');
      return checkSkills(folder, values.json, output);
    }
    const { skills } = await import('./skills.ts');
    const { findConfig } = await import('@toolwright/core/config');
    const config = findConfig({ path: values.config });
    const session = { ...pick('sessionId', values.session), createSession: values.session !== undefined };
    return withToolwright({ ...pick('config', config), ...pick('sandbox', values.sandbox) }, (toolwright, signal) => {
      const settings = { words, json: values.json, ...pick('args', values.args), execution: { ...session, signal } };
      return skills(toolwright, settings, output);
    });
  },
});
