import type { Listed } from './cluster.ts';

/**
 * Returns the reason why pods with the given labels have a network; `undefined` if policies forbid each connection. Policies add up:
 * one must select the pods for both directions, and none that selects them may have a rule.
 */
export function openNetwork(policies: readonly Listed[], labels: Readonly<Record<string, string>>): string | undefined {
  const selected = policies.filter(({ spec }) => selects(Object(spec).podSelector, labels));
  const opens = selected.find(({ spec }) =>
    [Object(spec).ingress, Object(spec).egress].some((rules) => rules?.length > 0),
  );
  if (opens) return `the NetworkPolicy "${opens.metadata?.name}" allows connections of pods of programs`;
  const types = new Set(selected.flatMap(({ spec }) => Object(spec).policyTypes ?? ['Ingress']));
  const missing = ['Ingress', 'Egress'].filter((type) => !types.has(type));
  return missing.length === 0
    ? undefined
    : `no NetworkPolicy forbids ${missing.join(' and ').toLowerCase()} for pods of programs`;
}

/** Returns whether a selector may select pods with these labels. Expressions are taken to select them. */
function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels } = Object(selector);
  return Object.entries(Object(matchLabels)).every(([name, value]) => labels[name] === value);
}
