import { type Command, defineCommand, pick, UsageError } from '@toolwright/core/command';
import { withToolwright } from './lifetime.ts';
import { CONFIG, JSON_OUTPUT } from './shared-options.ts';

const USAGE = 'Use "policy test" for all tools, or "policy test TOOL [--arguments JSON]" for one.';

export const policyCommand: Command = defineCommand({
  name: 'policy',
  summary: 'Show what the policy allows, asks about and denies',
  usage: ['test [options]', 'test TOOL [--arguments JSON] [options]'],
  options: {
    arguments: { type: 'string', value: 'JSON', text: 'Arguments of the call, as a JSON object', defaultText: 'any' },
    user: { type: 'string', value: 'ID', text: 'User who calls', defaultText: 'local' },
    session: { type: 'string', value: 'ID', text: 'Session in which the program runs', defaultText: 'none' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: ['It calls no tool. With TOOL, it also shows why earlier rules do not match.'],
  examples: [
    ['toolwright policy test', 'list all tools with the action of each'],
    [`toolwright policy test mail__send --arguments '{"to":"ada@example.com"}'`, 'test one call'],
  ],
  exitCodes: { 4: 'a server could not list its tools' },
  async run({ config: path, ...values }, words, output) {
    const [action, tool, more] = words;
    if (action !== 'test' || more !== undefined) throw new UsageError(USAGE);
    if (tool === undefined && values.arguments !== undefined)
      throw new UsageError(`--arguments needs a tool. ${USAGE}`);
    const args = values.arguments === undefined ? undefined : argumentsOf(values.arguments);
    const [{ loadConfig }, { testPolicy }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./policy.ts'),
    ]);
    const { file, policy } = loadConfig({ path });
    const caller = { userId: values.user, sessionId: values.session };
    const asked = { tool, policy, caller, json: values.json, ...pick('args', args) };
    // No program runs: this sandbox starts no process.
    return withToolwright({ config: file, sandbox: 'quickjs' }, (toolwright) => testPolicy(toolwright, asked, output));
  },
});

function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`--arguments takes a JSON object, such as '{"to":"ada@example.com"}'.`);
}
