import { type Command, defineCommand, pick, positive, UsageError } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT, LANGUAGE, languageOf, SANDBOX, SESSION } from '../shared-options.ts';
import { readProgram } from './read-program.ts';

const MIB = 1024 * 1024;

export const runCommand: Command = defineCommand({
  name: 'run',
  summary: 'Run a program that can call your tools',
  usage: ['[FILE | -] [options]'],
  options: {
    eval: { type: 'string', short: 'e', value: 'CODE', text: 'Program to run, instead of a file' },
    language: { ...LANGUAGE, defaultText: 'by the file name, else recognised' },
    config: CONFIG,
    sandbox: SANDBOX,
    session: { ...SESSION, text: 'Session that keeps the files; created if missing' },
    'timeout-ms': {
      type: 'string',
      value: 'N',
      text: 'Time limit in milliseconds',
      defaultText: 'limits.timeoutMs, 30000',
    },
    'memory-mb': {
      type: 'string',
      value: 'N',
      text: 'Memory limit in MiB',
      defaultText: 'limits.memoryBytes, 128 MiB',
    },
    'dry-run': { type: 'boolean', text: 'Call read-only tools alone, and list the calls' },
    approved: { type: 'string', value: 'ID', text: 'Approved dry run of this program: its calls need no question' },
    request: { type: 'string', value: 'TEXT', text: "The user's own words, for a policy that depends on origins" },
    'no-check': { type: 'boolean', text: 'Run without the type check' },
    json: JSON_OUTPUT,
  },
  notes: ['"-" reads the program from standard input. Without a configuration, programs have no tools.'],
  examples: [
    ['toolwright run -e "return 6 * 7"', 'print 42'],
    ['toolwright run report.ts --session monthly --json', 'run a file, keep its files, print JSON'],
    ['toolwright run refunds.ts --dry-run', 'list the calls of a program, without effects'],
  ],
  exitCodes: { 1: 'the program failed', 3: 'a limit stopped the program', 5: 'it waits, for instance for an approval' },
  async run(values, words, output) {
    const [file, more] = words;
    if (more !== undefined) throw new UsageError(`"run" accepts one file; remove "${more}".`);
    const language = languageOf(values.language, file);
    const timeoutMs = positive('timeout-ms', values['timeout-ms']);
    const memoryMb = positive('memory-mb', values['memory-mb']);
    const limits = { ...pick('timeoutMs', timeoutMs), ...pick('memoryBytes', memoryMb && memoryMb * MIB) };
    const program = { ...pick('file', file), ...pick('code', values.eval) };
    const source = await readProgram(program);
    // The process that reads the program starts while this one loads the rest.
    const { languageWorkers } = await import('@toolwright/sandbox/internal');
    languageWorkers().warm();
    const [{ findConfig }, { run }] = await Promise.all([import('@toolwright/core/config'), import('./run.ts')]);
    const config = findConfig({ path: values.config });
    const sandbox = { ...pick('sandbox', values.sandbox), startSandbox: true };
    const options = { ...pick('config', config), ...sandbox, limits };
    const settings = {
      ...pick('sessionId', values.session),
      ...pick('check', values['no-check'] ? false : undefined),
      dryRun: values['dry-run'],
      ...pick('approved', values.approved),
      ...pick('request', values.request),
    };
    const nextOptions = values.config === undefined ? {} : { more: ` --config ${values.config}` };
    return withToolwright(options, (toolwright, signal) => {
      const execution = { ...settings, createSession: true, language, signal };
      return run(toolwright, source, { ...program, json: values.json, ...nextOptions, execution }, output);
    });
  },
});
