import { type Command, defineCommand, type Output, pick, UsageError } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { readProgram } from '../run/read-program.ts';
import { CONFIG, JSON_OUTPUT, LANGUAGE, languageOf } from '../shared-options.ts';

const USAGE =
  'Use "policy test" for all tools, "policy test TOOL [--arguments JSON]" for one, or "policy test --program FILE".';

export const policyCommand: Command = defineCommand({
  name: 'policy',
  summary: 'Show what the policy allows, asks about and denies',
  usage: ['test [options]', 'test TOOL [--arguments JSON] [options]', 'test --program FILE [options]'],
  options: {
    arguments: { type: 'string', value: 'JSON', text: 'Arguments of the call, as a JSON object', defaultText: 'any' },
    program: { type: 'string', value: 'FILE', text: 'Program to run without effects: shows all its calls' },
    request: { type: 'string', value: 'TEXT', text: "The user's own words, for a policy that depends on origins" },
    language: { ...LANGUAGE, defaultText: 'by the file name, else recognised' },
    user: { type: 'string', value: 'ID', text: 'User who calls', defaultText: 'local' },
    session: { type: 'string', value: 'ID', text: 'Session in which the program runs', defaultText: 'none' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'It calls no tool. With TOOL, it also shows why earlier rules do not match.',
    'With --program, it is a dry run: read-only tools are called, and all others get an invented result.',
  ],
  examples: [
    ['toolwright policy test', 'list all tools with the action of each'],
    [`toolwright policy test mail__send --arguments '{"to":"ada@example.com"}'`, 'test one call'],
    ['toolwright policy test --program refunds.ts', 'show the decisions that a program needs'],
  ],
  exitCodes: { 1: 'the program failed', 3: 'a limit stopped the program', 4: 'a server could not list its tools' },
  async run({ config: path, ...values }, words, output) {
    const [action, tool, more] = words;
    if (action !== 'test' || more !== undefined) throw new UsageError(USAGE);
    if (values.program !== undefined) {
      if (tool !== undefined || values.arguments !== undefined)
        throw new UsageError(`--program takes neither a tool nor --arguments. ${USAGE}`);
      return testProgram(values.program, { ...values, path }, output);
    }
    if (values.language !== undefined) throw new UsageError(`--language needs --program. ${USAGE}`);
    if (tool === undefined && values.arguments !== undefined)
      throw new UsageError(`--arguments needs a tool. ${USAGE}`);
    const args = values.arguments === undefined ? undefined : argumentsOf(values.arguments);
    const [{ loadConfig }, { testPolicy }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./policy.ts'),
    ]);
    const { file, policy } = await loadConfig({ path });
    const caller = { userId: values.user, sessionId: values.session };
    const asked = { tool, policy, caller, request: values.request, json: values.json, ...pick('args', args) };
    return withToolwright({ config: file }, (toolwright) => testPolicy(toolwright, asked, output));
  },
});

interface ProgramValues {
  readonly path: string | undefined;
  readonly language: string | undefined;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly request: string | undefined;
  readonly json: boolean;
}

async function testProgram(file: string, values: ProgramValues, output: Output): Promise<number> {
  const { path, user, session, request, json } = values;
  const language = languageOf(values.language, file);
  const source = await readProgram({ file });
  const [{ findConfig }, { testProgramPolicy }] = await Promise.all([
    import('@toolwright/core/config'),
    import('./policy-program.ts'),
  ]);
  const caller = { ...pick('userId', user), ...pick('sessionId', session), request };
  return withToolwright(pick('config', findConfig({ path })), (toolwright, signal) =>
    testProgramPolicy(toolwright, source, { ...caller, language, json, signal }, output),
  );
}

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
