import { ToolwrightError } from '@toolwright/core/errors';

/** Environment variables by name. */
export type Variables = Record<string, string | undefined>;

/** A variable of another harness, and the variable of Toolwright for the same setting. */
interface Alias {
  readonly name: string;
  /** Converts its unit. Returns `undefined` for a value that cannot be converted. */
  readonly convert?: (text: string) => string | undefined;
}

/** Docker's quota has microseconds of one processor per 100 milliseconds: 1,000 of them are one percent. */
const QUOTA_PER_PERCENT = 1_000;

const ALIASES: Readonly<Record<string, Alias>> = {
  SANDBOX_TIMEOUT_MS: { name: 'TOOLWRIGHT_TIMEOUT_MS' },
  SANDBOX_MEMORY_MB: { name: 'TOOLWRIGHT_MEMORY_MB' },
  SANDBOX_CPU_QUOTA: { name: 'TOOLWRIGHT_CPU_PERCENT', convert: percentOf },
  SANDBOX_IMAGE: { name: 'TOOLWRIGHT_DOCKER_IMAGE' },
};
const KEY_ALIAS = 'LLM_API_KEY';

/**
 * Prepares the environment of a command: adds variables where they are not set, and applies aliases. Each used alias is one
 * warning. Raises `CONFIG_INVALID` for an alias that contradicts its new name.
 */
export async function prepareEnvironment(
  env: Variables,
  { variables, warn }: { readonly variables: Readonly<Record<string, string>>; readonly warn: (text: string) => void },
): Promise<void> {
  for (const [name, value] of Object.entries(variables)) env[name] ??= value;
  for (const [alias, { name, convert }] of Object.entries(ALIASES)) applyAlias(env, alias, name, warn, convert);
  if (env[KEY_ALIAS]) await applyKey(env, warn);
}

function applyAlias(
  env: Variables,
  alias: string,
  name: string,
  warn: (text: string) => void,
  convert: Alias['convert'] = (text) => text,
): void {
  const text = env[alias];
  if (text === undefined || text === '') return;
  const value = convert(text);
  if (value === undefined) {
    throw invalid(`${alias} is ${JSON.stringify(text)}. Set ${name} in its place, a whole number of percent.`);
  }
  const own = env[name];
  if (own !== undefined && own !== '' && own !== value) {
    throw invalid(`${alias} and ${name} are the same setting and have different values. Remove ${alias}.`);
  }
  env[name] = value;
  warn(`warning: ${alias} is now called ${name}.`);
}

/** The key of the provider that `LLM_MODEL` names. */
async function applyKey(env: Variables, warn: (text: string) => void): Promise<void> {
  const { keyVariableOf } = await import('@toolwright/server/internal');
  const name = keyVariableOf(env.LLM_MODEL ?? '');
  if (name !== undefined) applyAlias(env, KEY_ALIAS, name, warn);
  else warn(`warning: ${KEY_ALIAS} is ignored: set LLM_MODEL=provider/name, for a provider with a key.`);
}

function percentOf(quota: string): string | undefined {
  const percent = Number(quota) / QUOTA_PER_PERCENT;
  return Number.isSafeInteger(percent) && percent > 0 ? String(percent) : undefined;
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}
