#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { errorKind, type Toolwright, ToolwrightError, type ToolwrightOptions } from '@toolwright/core';
import { LANGUAGE_NAMES, type LanguageName } from '@toolwright/sandbox';
import { messageOf } from '@toolwright/sandbox/internal';
import { EXIT, type Output, UsageError } from './commands/command.ts';
import { readProgram, run } from './commands/run.ts';
import { forTerminal } from './commands/terminal.ts';
import { COMMAND_OPTIONS, HELP, noCommand, OPTIONS, optionProblem } from './commands/usage.ts';

const MIB = 1024 * 1024;
/** Milliseconds that a server gets to close after a signal. */
const MAX_CLOSING_MS = 5_000;
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

const output: Output = { out: writeTo(process.stdout), err: writeTo(process.stderr) };

function writeTo(stream: NodeJS.WriteStream): (text: string) => void {
  return (text) => void stream.write(`${stream.isTTY ? forTerminal(text) : text}\n`);
}

type Values = ReturnType<typeof parse>['values'];

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(optionProblem(error));
  }
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const [command, ...words] = positionals;
  if (values.version) {
    output.out(version());
    return EXIT.completed;
  }
  const isAsked = values.help || command === 'help';
  if (isAsked || command === undefined) {
    (isAsked ? output.out : output.err)(HELP);
    return isAsked ? EXIT.completed : EXIT.usage;
  }
  const allowed: readonly string[] | undefined = Object.hasOwn(COMMAND_OPTIONS, command)
    ? COMMAND_OPTIONS[command as keyof typeof COMMAND_OPTIONS]
    : undefined;
  if (!allowed) throw new UsageError(noCommand(command));
  const strange = Object.entries(values).find(([name, value]) => value !== false && !allowed.includes(name));
  if (strange) throw new UsageError(`"toolwright ${command}" takes no --${strange[0]}.`);
  return RUN[command as keyof typeof RUN](values, words);
}

type Run = (values: Values, words: readonly string[]) => Promise<number>;

/** What is not needed to refuse a wrong use is loaded by each of them: it takes a third of a second. */
const RUN = {
  run: runProgram,
  tools: runTools,
  skills: runSkills,
  mcp: (values, words) => runServer('mcp', values, words),
  serve: (values, words) => runServer('serve', values, words),
  pii: runPii,
  n8n: runN8n,
  sessions: runSessions,
  keys: runKeys,
  doctor: runDoctor,
} satisfies Readonly<Record<keyof typeof COMMAND_OPTIONS, Run>>;

async function runDoctor({ config, json }: Values, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError(`"doctor" takes no "${words[0]}".`);
  const { doctor } = await import('./commands/doctor.ts');
  return doctor({ ...pick('config', config), json }, output);
}

async function runPii(values: Values, words: readonly string[]): Promise<number> {
  if (words[0] === 'rotate' || words[0] === 'forget') return runPiiVault(values, words);
  if (values.session !== undefined) throw new UsageError('"toolwright pii scan" takes no --session.');
  const [{ pii }, { findConfig, loadConfig }] = await Promise.all([
    import('./commands/pii.ts'),
    import('@toolwright/core'),
  ]);
  const path = findConfig({ path: values.config });
  const settings = path === undefined ? {} : loadConfig({ path }).pii;
  return pii({ words, ...pick('text', values.eval), json: values.json, jsonl: values.jsonl, settings }, output);
}

async function runN8n(values: Values, words: readonly string[]): Promise<number> {
  const { n8n } = await import('./commands/n8n.ts');
  const { json, level, catalog, from, published } = values;
  const templates = positive('templates', values.templates);
  const picked = { ...pick('level', level), ...pick('catalog', catalog), ...pick('templates', templates) };
  return n8n({ words, json, ...picked, ...pick('from', from), ...pick('published', published) }, output);
}

async function runServer(command: 'mcp' | 'serve', values: Values, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError(`"${command}" takes no "${words[0]}".`);
  const profile = values.profile ?? 'full';
  if (profile !== 'full' && profile !== 'core') {
    throw new UsageError(`There is no profile "${profile}". The profiles are: full, core.`);
  }
  const port = values.port === undefined ? undefined : portOf(values.port);
  const { findConfig, loadConfig, parseConfig } = await import('@toolwright/core');
  const config = findConfig({ path: values.config });
  const loaded = config === undefined ? parseConfig({}) : loadConfig({ path: config });
  const { dataDir, pii } = loaded;
  const personalData = { isReplaced: pii.mode !== 'off', canBeShown: pii.restoreTool ?? false };
  const options = { ...pick('config', config), ...pick('sandbox', values.sandbox) };
  if (command === 'mcp') {
    const { mcp } = await import('./commands/mcp.ts');
    const signal = interruption();
    return mcp(() => openToolwright(options), { profile, personalData, config, dataDir, signal });
  }
  const drainMs = positive('drain-ms', values['drain-ms']);
  const where = { ...pick('host', values.host), ...pick('port', port), ...pick('drainMs', drainMs) };
  const signals = endings();
  const { serve } = await import('./commands/serve.ts');
  await using toolwright = await openToolwright(options);
  return await serve(toolwright, { profile, personalData, config: loaded, signals, ...where }, output);
}

/** Aborted by the first signal, and by the second, after which what does not end in time is ended. */
function endings(): { readonly end: AbortSignal; readonly now: AbortSignal } {
  const [end, now] = [new AbortController(), new AbortController()];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!end.signal.aborted) return end.abort();
      now.abort();
      setTimeout(() => process.exit(SIGNAL_EXIT[signal]), MAX_CLOSING_MS).unref();
    });
  }
  return { end: end.signal, now: now.signal };
}

/** Aborted by the first signal; what does not end in time is ended. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted.abort();
      setTimeout(() => process.exit(SIGNAL_EXIT[signal]), MAX_CLOSING_MS).unref();
    });
  }
  return interrupted.signal;
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
  const { findConfig } = await import('@toolwright/core');
  const config = findConfig({ path: values.config });
  return withToolwright(
    { ...pick('config', config), ...pick('sandbox', values.sandbox), limits },
    (toolwright, signal) =>
      run(
        toolwright,
        source,
        {
          ...program,
          json: values.json,
          execution: {
            ...pick('sessionId', values.session),
            ...pick('check', values['no-check'] ? false : undefined),
            createSession: true,
            language,
            signal,
          },
        },
        output,
      ),
  );
}

async function runTools(values: Values, words: readonly string[]): Promise<number> {
  const limit = positive('limit', values.limit);
  const language = languageOf(values.language);
  const [{ loadConfig }, { tools }] = await Promise.all([import('@toolwright/core'), import('./commands/tools.ts')]);
  const { file } = loadConfig({ path: values.config });
  return withToolwright({ config: file }, (toolwright) =>
    tools(
      toolwright,
      { words, language, json: values.json, ...pick('server', values.server), ...pick('limit', limit) },
      output,
    ),
  );
}

async function runSessions(values: Values, words: readonly string[]): Promise<number> {
  const [{ findConfig }, { sessions }] = await Promise.all([
    import('@toolwright/core'),
    import('./commands/sessions.ts'),
  ]);
  const config = findConfig({ path: values.config });
  // No program runs: the sandbox that starts nothing will do.
  return withToolwright({ ...pick('config', config), sandbox: 'quickjs' }, (toolwright) =>
    sessions(toolwright, { words, json: values.json }, output),
  );
}

async function runKeys(values: Values, words: readonly string[]): Promise<number> {
  const expiresDays = positive('expires-days', values['expires-days']);
  const [{ findConfig, loadConfig, parseConfig }, { keys }, { openState }] = await Promise.all([
    import('@toolwright/core'),
    import('./commands/keys.ts'),
    import('@toolwright/core/internal'),
  ]);
  const path = findConfig({ path: values.config });
  await using state = await openState(path === undefined ? parseConfig({}) : loadConfig({ path }));
  const { user, name, json } = values;
  return await keys(
    state.store,
    { words, json, ...pick('user', user), ...pick('name', name), ...pick('expiresDays', expiresDays) },
    output,
  );
}

async function runPiiVault({ session, json, config: path }: Values, words: readonly string[]): Promise<number> {
  const [{ findConfig }, { piiVault }] = await Promise.all([
    import('@toolwright/core'),
    import('./commands/pii-vault.ts'),
  ]);
  return withToolwright({ ...pick('config', findConfig({ path })), sandbox: 'quickjs' }, (toolwright) =>
    piiVault(toolwright, { words, json, ...pick('session', session) }, output),
  );
}

async function runSkills(values: Values, words: readonly string[]): Promise<number> {
  const { checkSkills, skills } = await import('./commands/skills.ts');
  const [action, folder, more] = words;
  if (action === 'check') {
    if (folder === undefined || more !== undefined) throw new UsageError('"skills check" takes one folder.');
    return checkSkills(folder, values.json, output);
  }
  const { findConfig } = await import('@toolwright/core');
  const config = findConfig({ path: values.config });
  return withToolwright({ ...pick('config', config), ...pick('sandbox', values.sandbox) }, (toolwright, signal) =>
    skills(
      toolwright,
      {
        words,
        json: values.json,
        ...pick('args', values.args),
        execution: { ...pick('sessionId', values.session), createSession: values.session !== undefined, signal },
      },
      output,
    ),
  );
}

/** Closes whatever was started, also when the user interrupts. */
async function withToolwright(
  options: ToolwrightOptions,
  use: (toolwright: Toolwright, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  await using toolwright = await openToolwright(options);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted.abort();
      void toolwright.close().finally(() => process.exit(SIGNAL_EXIT[signal]));
    });
  }
  return await use(toolwright, interrupted.signal);
}

async function openToolwright(options: ToolwrightOptions): Promise<Toolwright> {
  const { createToolwright, parseConfig, stderrLogger } = await import('@toolwright/core');
  // Commands tell in their own words what a warning would say.
  const logger = stderrLogger(process.env.TOOLWRIGHT_LOG ?? 'error');
  // Without a configuration file, the library deletes nothing; the commands have the default of the configuration.
  const retention = options.config === undefined ? { retentionDays: parseConfig({}).retentionDays } : {};
  return createToolwright({ logger, ...retention, ...options });
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

/** 0 is any port that is free. */
function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not "${text}".`);
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
  return errorKind(error.code) === 'user' ? EXIT.usage : EXIT.defect;
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Who reads has seen enough, as `head` has: nothing more can be told.
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await main(process.argv.slice(2)).catch(report);
