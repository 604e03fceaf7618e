import { withEdits } from '../../encodings/layer.ts';
import { type Leaf, mapSteps, visitSteps } from '../../json-walk.ts';
import { type LookAlike, readPlaceholders } from '../../placeholder.ts';
import { mayDerive, type PiiPolicy, RESTRICTED_TYPES } from '../../policy/policy.ts';
import { inSlices } from '../../slices.ts';
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
  const placeholdersOf = (leaf: Leaf) =>
    typeof leaf === 'string' ? readPlaceholders(leaf, types).filter(({ escapes }) => escapes === 0) : [];
  const names = new Set<string>();
  const note = (leaf: Leaf) => {
    for (const { name } of placeholdersOf(leaf)) names.add(name);
  };
  await inSlices(visitSteps(parameters, { leaf: note }));
  if (names.size === 0) return parameters;
  const known = await vault.find([...names]);
  const editOf = ({ name, start, end }: LookAlike) => {
    const found = known.get(name);
    if (!found || RESTRICTED_TYPES.has(found.type) || !mayDerive(policy, found.type, 'match')) return [];
    return [{ start, end, text: found.spellings[0].text }];
  };
  const restored = (leaf: Leaf) =>
    typeof leaf === 'string' ? withEdits(leaf, placeholdersOf(leaf).flatMap(editOf)) : leaf;
  return (await inSlices(mapSteps(parameters, restored, (key) => key))) as T;
}
