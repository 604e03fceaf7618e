#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EXIT, type Output, UsageError } from './commands/command.ts';
import { readProgram, run } from './commands/run.ts';
import { errorKind, messageOf, ToolwrightError } from './errors.ts';
import { LANGUAGE_NAMES, type LanguageName } from './languages/language.ts';
import type { Toolwright, ToolwrightOptions } from './toolwright.ts';

const HELP = `Usage:
  toolwright run [FILE | -] [-e CODE] [--language typescript|python] [--config FILE] [--sandbox NAME] [--session ID]
                 [--timeout-ms N] [--memory-mb N] [--json]
  toolwright tools [QUERY...] [--server S] [--limit N] [--language typescript|python] [--config FILE] [--json]
  toolwright tools show NAME [--language typescript|python] [--config FILE] [--json]
  toolwright doctor [--config FILE] [--json]
  toolwright --version | --help

Exit codes: 0 completed, 1 the program failed, 2 usage or configuration, 3 stopped by a limit, 4 host or upstream defect.
Without --config: TOOLWRIGHT_CONFIG, ./toolwright.json or ./.mcp.json. "run" works without any of them, without tools.`;

const OPTIONS = {
  eval: { type: 'string', short: 'e' },
  language: { type: 'string' },
  config: { type: 'string' },
  sandbox: { type: 'string' },
  session: { type: 'string' },
  'timeout-ms': { type: 'string' },
  'memory-mb': { type: 'string' },
  server: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

const COMMAND_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  run: ['eval', 'language', 'config', 'sandbox', 'session', 'timeout-ms', 'memory-mb', 'json'],
  tools: ['config', 'server', 'limit', 'language', 'json'],
  doctor: ['config', 'json'],
};
const MIB = 1024 * 1024;
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

const output: Output = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
};

type Values = ReturnType<typeof parse>['values'];

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const [command, ...words] = positionals;
  if (values.version) {
    output.out(version());
    return EXIT.completed;
  }
  if (values.help || command === undefined) {
    (values.help ? output.out : output.err)(HELP);
    return values.help ? EXIT.completed : EXIT.usage;
  }
  const allowed = Object.hasOwn(COMMAND_OPTIONS, command) ? COMMAND_OPTIONS[command] : undefined;
  if (!allowed) throw new UsageError(`There is no command "${command}".`);
  const strange = Object.entries(values).find(([name, value]) => value !== false && !allowed.includes(name));
  if (strange) throw new UsageError(`"toolwright ${command}" takes no --${strange[0]}.`);
  // What is not needed to refuse a wrong use is loaded late: it takes a third of a second.
  if (command === 'doctor') {
    const { doctor } = await import('./commands/doctor.ts');
    return doctor({ ...pick('config', values.config), json: values.json }, output);
  }
  return command === 'tools' ? runTools(values, words) : runProgram(values, words);
}

async function runProgram(values: Values, words: readonly string[]): Promise<number> {
  const [file, more] = words;
  if (more !== undefined) throw new UsageError(`"run" takes one file, not also "${more}".`);
  const language = languageOf(values.language, file);
  const timeoutMs = positive('timeout-ms', values['timeout-ms']);
  const memoryMb = positive('memory-mb', values['memory-mb']);
  const limits = { ...pick('timeoutMs', timeoutMs), ...pick('memoryBytes', memoryMb && memoryMb * MIB) };
  const program = { ...pick('file', file), ...pick('code', values.eval) };
  const source = await readProgram(program);
  const { findConfig } = await import('./config.ts');
  const config = findConfig({ path: values.config });
  return withToolwright(
    { ...pick('config', config), ...pick('sandbox', values.sandbox), limits },
    (toolwright, signal) =>
      run(
        toolwright,
        source,
        { ...program, json: values.json, execution: { ...pick('session', values.session), language, signal } },
        output,
      ),
  );
}

async function runTools(values: Values, words: readonly string[]): Promise<number> {
  const limit = positive('limit', values.limit);
  const language = languageOf(values.language);
  const [{ loadConfig }, { tools }] = await Promise.all([import('./config.ts'), import('./commands/tools.ts')]);
  const { file } = loadConfig({ path: values.config });
  return withToolwright({ config: file }, (toolwright) =>
    tools(
      toolwright,
      { words, language, json: values.json, ...pick('server', values.server), ...pick('limit', limit) },
      output,
    ),
  );
}

/** Closes whatever was started, also when the user interrupts. */
async function withToolwright(
  options: ToolwrightOptions,
  use: (toolwright: Toolwright, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const [{ createToolwright }, { stderrLogger }] = await Promise.all([import('./toolwright.ts'), import('./log.ts')]);
  // Commands tell in their own words what a warning would say.
  const logger = stderrLogger(process.env.TOOLWRIGHT_LOG ?? 'error');
  await using toolwright = await createToolwright({ logger, ...options });
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted.abort();
      void toolwright.close().finally(() => process.exit(SIGNAL_EXIT[signal]));
    });
  }
  return await use(toolwright, interrupted.signal);
}

/** What was asked for, or what the file's name tells. */
function languageOf(name: string | undefined, file?: string): LanguageName {
  if (name === undefined) return file?.endsWith('.py') ? 'python' : 'typescript';
  const known = LANGUAGE_NAMES.find((language) => language === name);
  if (known) return known;
  throw new UsageError(`There is no language "${name}". This version runs: ${LANGUAGE_NAMES.join(', ')}.`);
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} takes a positive whole number, not "${text}".`);
}

function pick<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    output.err(`${error.message}\nRun "toolwright --help" for the options.`);
    return EXIT.usage;
  }
  output.err(messageOf(error));
  if (!(error instanceof ToolwrightError)) return EXIT.defect;
  return errorKind(error.code) === 'guest' ? EXIT.usage : EXIT.defect;
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Who reads has seen enough, as `head` has: nothing more can be told.
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await main(process.argv.slice(2)).catch(report);
