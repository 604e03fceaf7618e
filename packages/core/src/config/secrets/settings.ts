// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references of the configuration
import * as z from 'zod';
import { setting } from '../setting.ts';
import { SECRET_SOURCES } from './references.ts';

/** Commands that print a secret, by the source of its references. `{}` in an argument is the name of the secret. */
export type SecretCommands = Readonly<Record<string, readonly string[]>>;

const PLACE = '{}';
const TAKEN: ReadonlySet<string> = new Set(['env', 'input', ...SECRET_SOURCES.filter((source) => source !== 'op')]);

const command = z
  .array(z.string().min(1))
  .min(1)
  .refine((words) => words.slice(1).some((word) => word.includes(PLACE)), {
    message: `expected an argument with ${PLACE}, which is the name of the secret`,
  });

/** `secrets` of the configuration. */
export const secretsSchema: z.ZodType<SecretCommands> = setting(
  z
    .record(
      z
        .string()
        .regex(/^[A-Za-z][\w-]*$/, 'a source has letters, digits, - and _')
        .refine((name) => !TAKEN.has(name), 'this source is built in; choose another name'),
      command,
    )
    .default({}),
  {
    description:
      'commands that print a [secret](servers.md#keep-secrets-out-of-the-file), by source: `{ "vault": ["vault", "kv", "get", "-field=value", "{}"] }` fills `${vault:secret/github}`',
    defaultText: 'none',
  },
);

/** Returns the sources that references may have: the built-in ones, and those that a configuration adds. */
export function secretSources(secrets: unknown): string[] {
  const own = typeof secrets === 'object' && secrets !== null ? Object.keys(secrets) : [];
  return [...new Set([...SECRET_SOURCES, ...own])];
}

/** Returns the command line that prints a secret. */
export function secretCommand(words: readonly string[], name: string): string[] {
  return words.map((word, index) => (index === 0 ? word : word.replaceAll(PLACE, name)));
}
