import { DEFAULT_LIMITS } from '@toolwright/core';
import type { Option } from '@toolwright/core/command';
import { describe, expect, test } from 'vitest';
import { COMMANDS, helpText, readCommandLine } from './usage.ts';

const MAX_COLUMNS = 120;
const NAMES = COMMANDS.map(({ name }) => name);

/** Returns the options that a text mentions, without `--`. */
function mentioned(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--([a-z\d-]+)/g)].map(([, name = '']) => name);
}

/** Splits a command line into words as a shell does. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}

test('the help of a command', () => {
  expect(helpText(COMMANDS.find(({ name }) => name === 'run'))).toBe(
    `Usage: toolwright run [FILE | -] [options]

Run a program that can call your tools.

"-" reads the program from standard input. Without a configuration, programs have no tools.

Options:
  -e, --eval CODE      Program to run, instead of a file
      --language NAME  typescript (includes JavaScript) or python (default: by the file name, else recognised)
      --config FILE    Configuration (default: TOOLWRIGHT_CONFIG, ./toolwright.json or ./.mcp.json)
      --sandbox NAME   Sandbox, such as quickjs; see "toolwright doctor" (default: auto, the strongest available)
      --session ID     Session that keeps the files; created if missing
      --timeout-ms N   Time limit in milliseconds (default: limits.timeoutMs, 30000)
      --memory-mb N    Memory limit in MiB (default: limits.memoryBytes, 128 MiB)
      --dry-run        Call read-only tools alone, and list the calls
      --approved ID    Approved dry run of this program: its calls need no question
      --request TEXT   The user's own words, for a policy that depends on origins
      --no-check       Run without the type check
      --json           Print one JSON object on stdout and nothing else
  -h, --help           Print this help

Examples:
  toolwright run -e "return 6 * 7"                   print 42
  toolwright run report.ts --session monthly --json  run a file, keep its files, print JSON
  toolwright run refunds.ts --dry-run                list the calls of a program, without effects

Exit codes:
  0  completed
  1  the program failed
  2  wrong usage or configuration
  3  a limit stopped the program
  4  internal or upstream error
  5  it waits, for instance for an approval`,
  );
});

test('the help of all commands has one line per command', () => {
  const lines = helpText().split('\n');
  const own = NAMES.map((name) => lines.filter((line) => line.startsWith(`  ${name} `)).length);
  expect([own, lines.length < 24]).toEqual([NAMES.map(() => 1), true]);
});

describe.each(COMMANDS)('$name', (command) => {
  const { name, options, usage, notes = [], examples } = command;
  const help = helpText(command);

  test('the help lists exactly the options that the command accepts', () => {
    const documented = mentioned(help.slice(help.indexOf('Options:'), help.indexOf('Examples:')));
    expect(documented.sort()).toEqual([...Object.keys(options), 'help'].sort());
    for (const [option, { type }] of Object.entries(options)) {
      const { values } = readCommandLine([name, `--${option}`, ...(type === 'string' ? ['1'] : [])]);
      expect(values).toHaveProperty([option]);
    }
    const others = COMMANDS.flatMap((other) => Object.entries(other.options)).filter(([other]) => !(other in options));
    for (const [option, { type }] of others) {
      const args = [name, `--${option}`, ...(type === 'string' ? ['1'] : [])];
      expect(() => readCommandLine(args)).toThrow(`"toolwright ${name}" has no option --${option}.`);
    }
  });

  test('an option that is no list is accepted once', () => {
    for (const [option, { type, short, multiple }] of Object.entries({
      ...options,
      help: { type: 'boolean' } as Option,
    })) {
      const forms = [`--${option}`, ...(short === undefined ? [] : [`-${short}`])];
      const values = type === 'string' ? [['1'], ['2']] : [[], []];
      for (const second of forms) {
        const args = [name, `--${option}`, ...(values[0] ?? []), second, ...(values[1] ?? [])];
        if (multiple) expect(readCommandLine(args).values).toHaveProperty([option], ['1', '2']);
        else {
          const problem = expect.objectContaining({ name: 'UsageError', command: name });
          expect(() => readCommandLine(args)).toThrow(problem);
          expect(() => readCommandLine(args)).toThrow(`Option --${option} is given more than once.`);
        }
      }
    }
  });

  test('usage and notes name existing options only', () => {
    const known = new Set(COMMANDS.flatMap((other) => Object.keys(other.options)));
    expect(mentioned(usage.join(' ')).filter((option) => !(option in options))).toEqual([]);
    expect(mentioned(notes.join(' ')).filter((option) => !known.has(option))).toEqual([]);
  });

  test('the examples are valid command lines', () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const [line] of examples) {
      const [program, ...args] = shellWords(line);
      expect([program, readCommandLine(args).command]).toEqual(['toolwright', command]);
    }
  });

  test('every option value has a name, and no line is too long', () => {
    const nameless = Object.entries(options).filter(
      ([, { type, value }]) => (type === 'string') !== (value !== undefined),
    );
    expect(nameless).toEqual([]);
    expect(help.split('\n').filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
  });
});

test('options of one name have the same type in all commands', () => {
  const all = COMMANDS.flatMap(({ options }) => Object.entries(options));
  const shapes = all.map(([name, { type, short = '', multiple = false }]) => `${name} ${type} ${short} ${multiple}`);
  expect(new Set(shapes).size).toBe(new Set(all.map(([name]) => name)).size);
});

test('boolean options are false and other options absent by default', () => {
  const { values, words } = readCommandLine(['run', 'a.ts', '-e', '1']);
  expect([{ ...values }, words]).toEqual([{ 'dry-run': false, 'no-check': false, json: false, eval: '1' }, ['a.ts']]);
});

test('"help COMMAND" is "COMMAND --help", and -h its short form', () => {
  for (const name of NAMES) {
    const asked = [
      ['help', name],
      [name, '--help'],
      ['-h', name],
    ].map((args) => readCommandLine(args));
    expect(asked.map(({ command, help }) => [command?.name, help])).toEqual(Array(3).fill([name, true]));
  }
  expect(readCommandLine(['help'])).toMatchObject({ command: undefined, help: true });
  expect(() => readCommandLine(['help', 'docter'])).toThrow('There is no command "docter". Did you mean "doctor"?');
});

test('the error for an unknown option names the command', () => {
  const problem = (...args: string[]) => {
    try {
      readCommandLine(args);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  expect(problem('run', '--limit', '1')).toMatchObject({ command: 'run' });
  expect(problem('run', '--sandbx', 'jail')).toMatchObject({
    command: 'run',
    message: expect.stringContaining('--sandbox'),
  });
  expect(problem('run', '--timeout-ms')).toMatchObject({
    command: 'run',
    message: 'Option --timeout-ms requires a value.',
  });
  expect(problem('run', '-e')).toMatchObject({ message: 'Option --eval requires a value.' });
  expect(problem('rum')).toMatchObject({ command: undefined });
});

test('the help of run has the default limits', () => {
  const options = COMMANDS.find(({ name }) => name === 'run')?.options;
  expect(options?.['timeout-ms']?.defaultText).toContain(` ${DEFAULT_LIMITS.timeoutMs}`);
  expect(options?.['memory-mb']?.defaultText).toContain(` ${DEFAULT_LIMITS.memoryBytes / 1024 / 1024} MiB`);
});
