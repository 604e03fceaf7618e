import type { Tool } from '@toolwright/connectors';
import { isTarget } from '../../config/policy/origins/guarded.ts';
import { eachLeaf } from '../../config/policy/origins/leaves.ts';
import type { CallOrigins } from '../../config/policy/origins/origins.ts';
import { isChoice, isDeclared, type ToolSinks } from '../../config/policy/origins/sinks.ts';

/** The part of a call that a standing permission is for. */
export interface CallScope {
  /** Everything that a later call must have in common, in one form for the same in another order. */
  readonly fixed: readonly string[];
  /** The largest amounts, by their place. A later call may have smaller ones. */
  readonly amounts: Readonly<Record<string, number>>;
}

/**
 * Returns the scope of a call: its targets, its choices among listed values, and names that its schema does not declare. The tools of private
 * data that it sends outside of its readers belong to it too. Other values may differ. Undefined for a call without a target.
 */
export function scopeOf(
  tool: Tool,
  args: unknown,
  { sinks, origins }: { readonly sinks: ToolSinks; readonly origins: CallOrigins | undefined },
): CallScope | undefined {
  const schema = tool.definition.inputSchema;
  const fixed = new Set<string>();
  const amounts: Record<string, number> = {};
  let hasTarget = false;
  const isComplete = eachLeaf(args, ({ names, value }) => {
    const kind = sinks(names, value);
    const place = JSON.stringify(names);
    if (kind === 'amount' && typeof value === 'number' && value >= 0) {
      amounts[place] = Math.max(value, amounts[place] ?? 0);
      return;
    }
    hasTarget ||= isTarget({ kind });
    if (kind === 'amount' || isTarget({ kind }) || isChoice(schema, names)) fixed.add(JSON.stringify([names, value]));
  });
  if (!isComplete || !hasTarget) return undefined;
  for (const name of choicesAndNames(schema, args, [])) fixed.add(name);
  for (const { source } of origins?.leaks() ?? []) fixed.add(JSON.stringify({ private: source.id }));
  return { fixed: [...fixed].sort(), amounts };
}

/** Returns whether the amounts of a call are no larger than those of a permission. */
export function areWithin(amounts: CallScope['amounts'], limits: CallScope['amounts']): boolean {
  return Object.entries(amounts).every(([place, amount]) => amount <= (limits[place] ?? -1));
}

/** Returns the switches of a call, and the names that no schema declares: such a name may be data. */
function choicesAndNames(schema: Tool['definition']['inputSchema'], data: unknown, names: readonly string[]): string[] {
  if (typeof data === 'boolean') return [JSON.stringify([names, data])];
  if (typeof data !== 'object' || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((each) => choicesAndNames(schema, each, names));
  return Object.entries(data).flatMap(([name, inner]) => {
    const own = [...names, name];
    const inside = choicesAndNames(schema, inner, own);
    return isDeclared(schema, own) ? inside : [JSON.stringify({ name: own }), ...inside];
  });
}
