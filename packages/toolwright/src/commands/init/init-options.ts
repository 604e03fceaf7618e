import { type Command, defineCommand, UsageError } from '@toolwright/core/command';
import { CONFIG } from '../shared-options.ts';

export const initCommand: Command = defineCommand({
  name: 'init',
  summary: 'Set up Toolwright here: servers, a client, the dashboard, a first approval',
  usage: ['[options]'],
  options: {
    into: { type: 'string', value: 'CLIENT', text: 'client to connect', defaultText: 'the only one, else it asks' },
    port: { type: 'string', value: 'N', text: 'port of the dashboard', defaultText: '8377, or a free one' },
    'no-dashboard': { type: 'boolean', text: 'start no dashboard' },
    'no-browser': { type: 'boolean', text: 'print the link of the dashboard only' },
    yes: { type: 'boolean', text: 'Make the shown changes without a question' },
    config: CONFIG,
  },
  notes: [
    'It finds the servers of your clients and writes toolwright.json, with a policy that asks before tools that write.',
    'It puts Toolwright into one client, with a backup, and starts the dashboard in the background.',
    'Then it runs a first program, whose write waits for you. It asks at most three questions, and prints how to undo all.',
  ],
  examples: [
    ['toolwright init', 'ask before each change'],
    ['toolwright init --yes --into cursor', 'ask nothing; connect Cursor'],
  ],
  async run(values, words, output) {
    if (words.length > 0) throw new UsageError(`"init" accepts no argument; remove "${words[0]}".`);
    const [{ init }, { checkServers }, { confirmAtTerminal }, { homedir }, { resolve }] = await Promise.all([
      import('./init.ts'),
      import('../servers/check.ts'),
      import('../servers/context.ts'),
      import('node:os'),
      import('node:path'),
    ]);
    const { env, platform } = process;
    const file = resolve(values.config ?? (env.TOOLWRIGHT_CONFIG || 'toolwright.json'));
    const context = {
      ...{ machine: { home: homedir(), cwd: process.cwd(), platform, env }, file, output },
      confirm: values.yes ? async () => true : confirmAtTerminal,
      check: (names: readonly string[]) => checkServers(file, names, output),
    };
    return init(context, {
      into: values.into,
      port: values.port === undefined ? undefined : Number(values.port),
      hasDashboard: !values['no-dashboard'],
      opensBrowser: !values['no-browser'],
      asks: !values.yes,
    });
  },
});
