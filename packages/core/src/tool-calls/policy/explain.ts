import type { CallOrigins } from '../../config/policy/origins/origins.ts';
import { type ShownOrigin, shownOrigins } from '../../config/policy/origins/words.ts';
import type { PolicyAction } from '../../config/policy/schema.ts';
import { startEvaluation } from '../../config/policy/verdict.ts';
import type { EffectiveAnnotations } from './annotations.ts';
import type { CompiledRule, PolicyCall } from './rules.ts';

/** How a policy decides a call. */
export interface Explanation {
  /** `depends`: the arguments decide, and they were not given. */
  readonly action: PolicyAction | 'depends';
  /** The rule that decides, or decides if no rule before it matches the arguments. */
  readonly rule: string;
  /** The limit of the rule: `20 per hour`. */
  readonly limit?: string;
  readonly annotations: EffectiveAnnotations;
  /** The origins of the arguments, for a policy that depends on them. */
  readonly origins?: readonly ShownOrigin[];
  /** The rules before it, in order. */
  readonly earlier: readonly ExplainedRule[];
}

/** A rule that does not decide a call. */
export interface ExplainedRule {
  readonly rule: string;
  readonly action: PolicyAction;
  /** Whether it matches some arguments: none were given. */
  readonly depends: boolean;
  /** The key of the rule that does not match: `tools`, `users`, `arguments`, `from`, `carries` … */
  readonly key: string;
  /** The first condition on the arguments that did not hold: `properties.to.pattern`. */
  readonly condition?: string;
}

interface ExplainedPolicy {
  readonly rules: readonly CompiledRule[];
  readonly annotations: EffectiveAnnotations;
  /** Whether the preset decides by the origins of arguments. */
  readonly isByOrigin: boolean;
  readonly otherwise: (origins: CallOrigins | undefined) => { readonly action: PolicyAction; readonly rule: string };
}

/** A call to explain. Without arguments: any. */
export type ExplainedCall = Omit<PolicyCall, 'arguments'> & Partial<PolicyCall>;

/** Explains a decision. Limits count as not used up. */
export function explainDecision(call: ExplainedCall, policy: ExplainedPolicy): Explanation {
  const { rules, annotations, otherwise } = policy;
  const earlier: ExplainedRule[] = [];
  const run = startEvaluation();
  const end = (action: PolicyAction, rule: string, limit: CompiledRule['limit']): Explanation => {
    const possible = new Set([action, ...earlier.filter(({ depends }) => depends).map((one) => one.action)]);
    return {
      action: possible.size > 1 ? 'depends' : action,
      rule,
      limit: limit ? `${limit.count} per ${limit.per}` : undefined,
      annotations,
      origins: call.origins && shownOrigins(call.origins),
      earlier,
    };
  };
  for (const rule of rules) {
    const { label, action, limit } = rule;
    const missed = missedKey(rule, call, annotations);
    if (missed !== undefined) earlier.push({ rule: label, action, depends: false, key: missed });
    else if (rule.fitsArguments === undefined && rule.missedOrigins === undefined) return end(action, label, limit);
    else if (call.arguments === undefined) earlier.push({ rule: label, action, depends: true, key: 'arguments' });
    else {
      run.failed = undefined;
      const fits = rule.fitsArguments?.(call.arguments, run) ?? true;
      const key = fits ? rule.missedOrigins?.(call.origins) : 'arguments';
      if (key === undefined) return end(action, label, limit);
      earlier.push({ rule: label, action, depends: false, key, condition: run.failed });
    }
  }
  const last = otherwise(call.origins);
  const explained = end(last.action, last.rule, undefined);
  return call.arguments === undefined && call.origins === undefined && policy.isByOrigin
    ? { ...explained, action: 'depends' }
    : explained;
}

/** Returns the first condition on the tool or the caller that does not hold. */
function missedKey(
  { toolConditions, callerConditions }: CompiledRule,
  call: ExplainedCall,
  annotations: EffectiveAnnotations,
): string | undefined {
  const missed =
    toolConditions.find(({ holds }) => !holds(call.tool, annotations)) ??
    callerConditions.find(({ holds }) => !holds(call));
  return missed?.key;
}
