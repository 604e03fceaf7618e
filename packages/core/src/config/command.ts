/** Exit codes of the command line; other programs rely on them. */
export const EXIT = { completed: 0, guestFailed: 1, usage: 2, stopped: 3, defect: 4 } as const;

/** Where a command writes: results to `out`, everything for people to `err`. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** A wrong use of the command line; its message names the fix. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** The command whose help lists what is right; undefined where the command itself is wrong. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.command = command;
  }
}

/** One option of a command: `parseArgs` of Node reads it, and the help of the command shows it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** One letter, without its `-`. */
  readonly short?: string;
  /** True where the option can be given more than once. */
  readonly multiple?: true;
  /** Name of the value in the help; every option of type `string` has one. */
  readonly value?: string;
  /** What the option does, in a few words. */
  readonly text: string;
  /** The default, as the help shows it. */
  readonly defaultText?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of a command's options. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { readonly type: 'boolean' }
    ? boolean
    : (O[K] extends { readonly multiple: true } ? readonly string[] : string) | undefined;
};

/** What the help of a command shows, and the command itself. */
export interface CommandDefinition<O extends Options> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The ways to use it, without `toolwright` and its name. */
  readonly usage: readonly string[];
  readonly options: O;
  /** Sentences below the options. */
  readonly notes?: readonly string[];
  /** Command lines that work as they are, each with what it does. */
  readonly examples: readonly (readonly [line: string, text: string])[];
  /** What the exit codes mean, where the command has more than those that all commands share. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** Runs the command with its options and its other words. Resolves to the exit code; raises `UsageError`. */
  run(values: Values<O>, words: readonly string[], output: Output): Promise<number>;
}

/** A command of the command line, whatever its options are. */
export interface Command extends Omit<CommandDefinition<Options>, 'run'> {
  run(values: Readonly<Record<string, unknown>>, words: readonly string[], output: Output): Promise<number>;
}

/**
 * Defines a command: `run` gets the values of exactly the options that the help shows. The module of a definition loads what
 * it runs with `await import()`, so that help and wrong uses are answered at once.
 */
export function defineCommand<const O extends Options>(definition: CommandDefinition<O>): Command {
  // The parser takes the options from the same table, so the values have the types that it promises.
  return definition as Command;
}

/** Reads a positive whole number. Raises `UsageError` for anything else. */
export function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} takes a positive whole number, not "${text}".`);
}

/** Returns an object with one key, or without it where there is no value: options left out keep their defaults. */
export function pick<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
