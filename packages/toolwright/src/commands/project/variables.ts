import { parseEnv } from 'node:util';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import type { Variables } from '../environment.ts';

/** The places of state, its keys, and trust: the user decides about these, never a file of a project. */
const OF_USER = /^TOOLWRIGHT_(TRUST|CONFIG|DATA_DIR|STORE|REDIS|BLOBS|MASTER_KEY|OLD_MASTER_KEYS)$/;
/** Settings of Toolwright, of its models and of its stores. */
const SETTING = /^(PORT|HOST|(TOOLWRIGHT|LLM|SANDBOX|AWS)_\w+|\w+_(API_KEY|BASE_URL))$/;
/** Variables that change how programs start: a configuration may refer to them, but a file of a project never sets them. */
const OF_PROGRAMS = /^(PATH|HOME|USERPROFILE|(XDG|LD|DYLD|NODE)_\w+)$/;
const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)/g;

/**
 * Returns the variables that a `.env` file adds to an environment: settings, and those that the configuration refers to. Raises
 * `CONFIG_INVALID` for one that only the user may set.
 */
export function projectVariables(
  file: string,
  text: string,
  { configuration, env }: { readonly configuration: string; readonly env: Readonly<Variables> },
): Record<string, string> {
  const references = new Set([...configuration.matchAll(REFERENCE)].map(([, name = '']) => name));
  const missing = Object.entries(parsed(file, text)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && env[entry[0]] === undefined,
  );
  const refused = missing
    .map(([name]) => name)
    .filter((name) => OF_USER.test(name))
    .sort();
  if (refused.length > 0) {
    const message = `${file} sets ${refused.join(', ')}, which a file of a folder may not set. Set it in the environment, and remove it there.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const isUsed = (name: string) => SETTING.test(name) || (references.has(name) && !OF_PROGRAMS.test(name));
  return Object.fromEntries(missing.filter(([name]) => isUsed(name)));
}

function parsed(file: string, text: string): NodeJS.Dict<string> {
  try {
    return parseEnv(text);
  } catch (cause) {
    throw new ToolwrightError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}
