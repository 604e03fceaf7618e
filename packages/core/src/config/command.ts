export { visibleText } from '../telemetry/visible-text.ts';

/** Exit codes of the command line. Other programs rely on them. */
export const EXIT = { completed: 0, guestFailed: 1, usage: 2, stopped: 3, defect: 4, suspended: 5 } as const;

/** The configuration files of the current folder, in the order of their look-up. */
export const CONFIG_FILES: readonly string[] = ['toolwright.json', '.mcp.json'];

/** Maximum bytes of a configuration file. */
export const MAX_CONFIG_BYTES: number = 16 * 1024 * 1024;

/** The sets of own tools that a client of the MCP server can list. */
export const TOOL_PROFILES = ['core', 'full'] as const;

/** The outputs of a command: results go to `out`, everything for people to `err`. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person reads `out` at a terminal. Default: false. */
  readonly isTerminal?: boolean;
}

/** An incorrect use of the command line. Its message names the fix. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The command whose help lists the valid uses; undefined when the command itself is unknown. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

/** One option of a command, for `parseArgs` of Node and for the help of the command. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** One letter, without `-`. */
  readonly short?: string;
  /** True when the option may be repeated. */
  readonly multiple?: true;
  /** Name of the value in the help. Every option of type `string` has one. */
  readonly value?: string;
  /** The effect of the option, in a few words. */
  readonly text: string;
  /** The default, in the form of the help. */
  readonly defaultText?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of a command's options. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly type: 'boolean' }
    ? boolean
    : (O[K] extends { readonly multiple: true } ? readonly string[] : string) | undefined;
};

/** A command and its help. */
export interface CommandDefinition<O extends Options> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The ways to use it, without `toolwright` and the command's name. */
  readonly usage: readonly string[];
  readonly options: O;
  /** Sentences below the options. */
  readonly notes?: readonly string[];
  /** Complete command lines, each with a description. */
  readonly examples: readonly (readonly [line: string, text: string])[];
  /** Exit codes of this command, in addition to those of all commands. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** Runs the command with its options and positional arguments. Resolves to the exit code. Raises `UsageError`. */
  run(values: Values<O>, words: readonly string[], output: Output): Promise<number>;
}

/** A command of the command line, with any options. */
export interface Command extends Omit<CommandDefinition<Options>, 'run'> {
  run(values: Readonly<Record<string, unknown>>, words: readonly string[], output: Output): Promise<number>;
}

/**
 * Defines a command. `run` receives the values of exactly the options that the help shows. Load modules in `run`, with
 * `await import()`, so that the help and usage errors appear at once.
 */
export function defineCommand<const O extends Options>(definition: CommandDefinition<O>): Command {
  // The parser reads the same table, so the values have the declared types.
  return definition as Command;
}

/** Parses a positive integer. Raises `UsageError` for anything else. */
export function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} takes a positive whole number, not "${text}".`);
}

/** Returns an object with one key, or an empty object without a value, so that an omitted option keeps its default. */
export function pick<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
