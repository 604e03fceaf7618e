import type { Policy, PolicyRule } from '../../api/types.ts';

/** A condition of a rule: its key in the configuration, and the values that match. */
export type Condition = readonly [key: string, values: string];

const PRESETS: Readonly<Record<Policy['preset'], string>> = {
  open: 'allows all other calls',
  guarded: 'allows other calls whose targets have a proven origin, and asks about the rest',
  careful: 'allows other calls of read-only tools, and asks about the rest',
  'read-only': 'allows other calls of read-only tools, and denies the rest',
};

/** Returns the conditions of a rule, except the schema of the arguments. A rule without any matches every call. */
export function conditionsOf(rule: Omit<PolicyRule, 'rule' | 'action'>): Condition[] {
  const lists = (['servers', 'tools', 'users', 'sessions'] as const).flatMap((key): Condition[] => {
    const globs = rule[key];
    return globs === undefined ? [] : [[key, oneOf(globs)]];
  });
  const annotations = Object.entries(rule.annotations ?? {}).map(([key, value]): Condition => [key, String(value)]);
  const globs = Object.entries(rule.argumentGlobs ?? {}).map(([key, value]): Condition => {
    return [`argument ${key}`, oneOf(value)];
  });
  const origins = Object.entries(rule.from ?? {}).map(([key, value]): Condition => [`origin of ${key}`, oneOf(value)]);
  const carried: Condition[] = rule.carries ? [['data of', oneOf(rule.carries)]] : [];
  return [...lists, ...annotations, ...globs, ...origins, ...carried];
}

/** Returns a preset and its effect. */
export function presetText(preset: Policy['preset']): string {
  return `The preset "${preset}" ${PRESETS[preset]}.`;
}

/** Returns the tools of a declaration, and their declared traits: `crm__get_*: read-only`. */
export function declarationText({ tools, servers, readOnly, idempotent }: Policy['tools'][number]): string {
  const places = [...(tools ?? []), ...(servers ?? []).map((server) => `server ${server}`)];
  const traits = [trait(readOnly, 'read-only'), trait(idempotent, 'idempotent')].filter((text) => text !== undefined);
  return `${places.length === 0 ? 'all tools' : places.join(', ')}: ${traits.join(', ')}`;
}

function trait(value: boolean | undefined, name: string): string | undefined {
  return value === undefined ? undefined : value ? name : `not ${name}`;
}

function oneOf(globs: readonly string[]): string {
  return globs.join(' or ');
}
