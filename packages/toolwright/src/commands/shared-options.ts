import { LANGUAGE_NAMES, type LanguageName } from '@toolwright/sandbox';
import { UsageError } from './command.ts';

/** Options that several commands have. */
export const CONFIG = {
  type: 'string',
  value: 'FILE',
  text: 'Configuration',
  defaultText: 'TOOLWRIGHT_CONFIG, ./toolwright.json or ./.mcp.json',
} as const;
export const JSON_OUTPUT = { type: 'boolean', text: 'Print one JSON object on stdout and nothing else' } as const;
export const LANGUAGE = {
  type: 'string',
  value: 'NAME',
  text: 'typescript (JavaScript too) or python',
  defaultText: 'typescript',
} as const;
export const PROFILE = {
  type: 'string',
  value: 'NAME',
  text: 'Tools of the MCP server: full or core',
  defaultText: 'full',
} as const;
export const SANDBOX = {
  type: 'string',
  value: 'NAME',
  text: 'Sandbox that runs programs',
  defaultText: 'auto, the strongest that works here',
} as const;
export const SESSION = { type: 'string', value: 'ID', text: 'Session whose files the program sees' } as const;

/** The language of an option, else that of a file's name. Raises `UsageError` for an unknown one. */
export function languageOf(name: string | undefined, file?: string): LanguageName {
  if (name === undefined) return file?.endsWith('.py') ? 'python' : 'typescript';
  const known = LANGUAGE_NAMES.find((language) => language === name);
  if (known) return known;
  throw new UsageError(`There is no language "${name}". This version runs: ${LANGUAGE_NAMES.join(', ')}.`);
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
