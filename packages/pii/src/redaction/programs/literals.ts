import { readPlaceholders } from '../../placeholder.ts';
import type { PiiPolicy } from '../../policy/policy.ts';
import { mayDerive, RESTRICTED_TYPES } from '../../policy/policy.ts';
import type { Vault } from '../../vault/vault.ts';

export interface LiteralOptions {
  readonly vault: Vault;
  readonly types: ReadonlySet<string>;
  readonly policy: PiiPolicy;
}

/**
 * Returns the parameters of an expression with values in place of their placeholders. A literal of a program that is also a value of a tool
 * arrives as its placeholder. Restricted values, and those that programs may not compare, keep theirs.
 */
export async function withLiterals<T>(parameters: T, { vault, types, policy }: LiteralOptions): Promise<T> {
  const placeholdersOf = (text: string) => readPlaceholders(text, types).filter(({ escapes }) => escapes === 0);
  const written = new Set<string>();
  mapTexts(parameters, (text) => {
    for (const { name } of placeholdersOf(text)) written.add(name);
    return text;
  });
  if (written.size === 0) return parameters;
  const known = await vault.find([...written]);
  const literalOf = (name: string) => {
    const found = known.get(name);
    const isHidden = !found || RESTRICTED_TYPES.has(found.type) || !mayDerive(policy, found.type, 'match');
    return isHidden ? undefined : found.spellings[0].text;
  };
  return mapTexts(parameters, (text) =>
    placeholdersOf(text).reduceRight(
      (whole, { name, start, end }) =>
        whole.slice(0, start) + (literalOf(name) ?? whole.slice(start, end)) + whole.slice(end),
      text,
    ),
  ) as T;
}

/** Replaces the texts of a value, not its keys. */
function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, replace)]));
}
