import { UsageError } from '@toolwright/core/command';
import { LANGUAGE_NAMES, type LanguageName, languageNamed } from '@toolwright/sandbox/languages';

/** Options of several commands. */
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
  text: 'typescript (includes JavaScript) or python',
  defaultText: 'typescript',
} as const;
export const PROFILE = {
  type: 'string',
  value: 'NAME',
  text: 'Own tools that clients list: core (two) or full (all)',
  defaultText: 'the setting toolProfile, or core',
} as const;
/** The set of servers and tools of the configuration, where `--profile` is the set of own tools. */
export const SERVERS = {
  type: 'string',
  value: 'NAME',
  text: 'Profile of the configuration, for all clients',
  defaultText: 'the setting defaultProfile, or all tools',
} as const;
export const SANDBOX = {
  type: 'string',
  value: 'NAME',
  text: 'Sandbox, such as quickjs; see "toolwright doctor"',
  defaultText: 'auto, the strongest available',
} as const;
export const SESSION = { type: 'string', value: 'ID', text: 'Session whose files the program sees' } as const;

/** Returns the language of an option, else of a file name; undefined to recognise it. Raises `UsageError` for an unknown one. */
export function languageOf(name: string | undefined, file = ''): LanguageName | undefined {
  if (name === undefined)
    return file.endsWith('.py') ? 'python' : /\.[cm]?[jt]s$/.test(file) ? 'typescript' : undefined;
  const known = languageNamed(name);
  if (known) return known;
  throw new UsageError(`There is no language "${name}". Use one of: ${LANGUAGE_NAMES.join(', ')}.`);
}
