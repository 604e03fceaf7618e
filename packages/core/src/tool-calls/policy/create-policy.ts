import type { Tool } from '@toolwright/connectors';
import { lazy } from '@toolwright/sandbox/internal';
import { decideGuarded, readsByName } from '../../config/policy/origins/guarded.ts';
import { type CallOrigins, callOrigins, type OriginRules } from '../../config/policy/origins/origins.ts';
import { ownPlaces } from '../../config/policy/origins/own.ts';
import { readersFrom } from '../../config/policy/origins/readers.ts';
import { sinksFrom } from '../../config/policy/origins/sinks.ts';
import { trustFrom } from '../../config/policy/origins/trust.ts';
import { trustedText } from '../../config/policy/origins/trusted-text.ts';
import type { PolicyAction, PolicyConfig } from '../../config/policy/schema.ts';
import { startEvaluation } from '../../config/policy/verdict.ts';
import { annotationsFrom } from './annotations.ts';
import { type CallScope, scopeOf as scopeOfCall } from './call-scope.ts';
import { type ExplainedCall, type Explanation, explainDecision } from './explain.ts';
import { createExecutionCounts, createHourCounts, type LimitCounts, type RuleLimit } from './limits.ts';
import { type CompiledRule, compileRule, type PolicyCall } from './rules.ts';
import type { SharedHours } from './shared-hours.ts';

/** The decision of a policy about a call, and the rule that decided. */
export interface Decision {
  readonly action: PolicyAction;
  /** The rule in messages: `the rule "no refunds"`, `policy.rules[2]`, or `the preset "careful"`. */
  readonly rule: string;
  /** The limit of the rule, which the call uses. */
  readonly limit?: RuleLimit;
}

/** The policy for the calls of one execution. It counts them. */
export interface ExecutionPolicy extends Pick<Policy, 'isSafeToResend' | 'isReadOnly' | 'scopeOf'> {
  /** Decides a call, and counts it towards the limit of the rule that allows it. */
  decide(tool: Tool, args: PolicyCall['arguments'], origins?: CallOrigins): Decision;
  /** Decides a call of a dry run that will not be sent. It counts for this execution only. */
  rehearse(tool: Tool, args: PolicyCall['arguments'], origins?: CallOrigins): Decision;
}

/** The caller of an execution. */
export interface PolicyCaller extends Pick<PolicyCall, 'userId' | 'sessionId'> {
  /** The keys of the limits that the recorded calls of a resumed execution used. */
  readonly usedLimits?: Iterable<string>;
}

/** The rules of a Toolwright about tool calls. */
export interface Policy {
  /** Absent for a policy that does not depend on the origins of arguments. */
  readonly origins?: OriginRules;
  /** Decides a call without counting it. `isUsedUp` returns whether a limit is used up; by default none is. */
  decide(call: PolicyCall, isUsedUp?: (limit: RuleLimit) => boolean): Decision;
  /** Opens the counts of one execution. */
  forExecution(caller: PolicyCaller): ExecutionPolicy;
  /** Returns whether a second call has no second effect: the tool is read-only or idempotent. */
  isSafeToResend(tool: Tool): boolean;
  /** Returns whether a tool is read-only, as the presets see it. */
  isReadOnly(tool: Tool): boolean;
  /** Returns the scope of a permission for later calls like this one. Undefined for a call without a target. */
  scopeOf(tool: Tool, args: PolicyCall['arguments'], origins: CallOrigins | undefined): CallScope | undefined;
  /** Returns the rules that match none of these tools. */
  unusedRules(tools: readonly Tool[]): readonly string[];
  /** Returns how a call would be decided, and which rules do not match it. Without arguments, for any arguments. */
  explain(call: ExplainedCall & { readonly request?: string | undefined }): Explanation;
}

/** Creates a policy from a checked configuration; the processes of a cluster share the counts of hours. Compiles the rules once, and selects those of a tool once. */
export function createPolicy(config: PolicyConfig, shared?: SharedHours): Policy {
  const { preset, rules, tools } = config;
  const compiled = rules.map(compileRule);
  const annotationsOf = annotationsFrom(tools);
  const rule = `the preset "${preset}"`;
  const presetDecision = (tool: Tool): ((origins: CallOrigins | undefined) => Decision) => {
    const { readOnlyHint } = annotationsOf(tool);
    if (preset === 'guarded') {
      const isRead = readOnlyHint || (readsByName(tool) && annotationsOf(claimingToRead(tool)).readOnlyHint);
      return (origins) => guarded(tool, isRead, origins, rule);
    }
    const isAllowed = preset === 'open' || readOnlyHint;
    const decision: Decision = { action: isAllowed ? 'allow' : preset === 'careful' ? 'ask' : 'deny', rule };
    return () => decision;
  };
  const sinksOf = onceForEach(sinksFrom(config.sinks));
  const origins =
    preset === 'guarded' || rules.some(({ from, carries }) => (from ?? carries) !== undefined)
      ? originRules(config, sinksOf)
      : undefined;
  const ofTool = onceForEach((tool: Tool) => {
    const annotations = annotationsOf(tool);
    const fits = ({ toolConditions }: CompiledRule) => toolConditions.every(({ holds }) => holds(tool, annotations));
    return { rules: compiled.filter(fits), annotations, otherwise: presetDecision(tool) };
  });
  const hours = createHourCounts(undefined, shared);
  const hourly = compiled.flatMap(({ limit }) => (limit?.per === 'hour' ? [limit.key] : []));
  const decide: Policy['decide'] = (call, isUsedUp = () => false) => {
    const { rules: candidates, otherwise } = ofTool(call.tool);
    if (candidates.length === 0) return otherwise(call.origins);
    const run = startEvaluation();
    const holdsForCall = ({ holds }: CompiledRule['callerConditions'][number]) => holds(call);
    const rule = candidates.find(
      ({ callerConditions, fitsArguments, missedOrigins, limit }) =>
        callerConditions.every(holdsForCall) &&
        (fitsArguments === undefined || fitsArguments(call.arguments, run)) &&
        (missedOrigins === undefined || missedOrigins(call.origins) === undefined) &&
        !(limit && isUsedUp(limit)),
    );
    return rule === undefined ? otherwise(call.origins) : decisionOf(rule);
  };
  const isSafeToResend = (tool: Tool) => ofTool(tool).annotations.idempotentHint;
  const isReadOnly = (tool: Tool) => ofTool(tool).annotations.readOnlyHint;
  const scopeOf: Policy['scopeOf'] = (tool, args, known) =>
    scopeOfCall(tool, args, { sinks: sinksOf(tool), origins: known });
  return {
    origins,
    decide,
    forExecution({ usedLimits, ...caller }) {
      const counts = lazy(() => createExecutionCounts(hours.of(caller.userId, hourly), usedLimits));
      // In a cluster, the counts of the hour are read before the first call.
      if (hourly.length > 0) counts();
      return { isSafeToResend, isReadOnly, scopeOf, ...countedDecisions(decide, caller, counts) };
    },
    unusedRules(tools) {
      const used = new Set(tools.flatMap((tool) => ofTool(tool).rules));
      return compiled.filter((rule) => !used.has(rule)).map(({ label }) => label);
    },
    isSafeToResend,
    isReadOnly,
    scopeOf,
    explain({ request, ...call }) {
      const known = origins && call.arguments ? originsOfRequest(origins, call, request) : call.origins;
      return explainDecision(
        { ...call, origins: known },
        { ...ofTool(call.tool), rules: compiled, isByOrigin: preset === 'guarded' },
      );
    },
  };
}

/** A policy that allows every call. */
export const OPEN_POLICY: Policy = createPolicy({ preset: 'open', rules: [], tools: [] });

/** Returns the tool as it would be with a hint that it only reads: the configuration and a quarantine may say otherwise. */
function claimingToRead(tool: Tool): Tool {
  return { ...tool, definition: { ...tool.definition, annotations: { readOnlyHint: true } } };
}

function guarded(tool: Tool, isReadOnly: boolean, origins: CallOrigins | undefined, rule: string): Decision {
  if (origins === undefined) return { action: 'ask', rule };
  const decision = decideGuarded(tool, isReadOnly, origins);
  if (decision.action === 'allow') return { action: 'allow', rule };
  // A decision is fast, and only a person needs the reason.
  let text: string | undefined;
  return {
    action: 'ask',
    get rule() {
      text ??= `${rule}: ${decision.reason()}`;
      return text;
    },
  };
}

/** Returns the decisions about the calls of an execution. They count the limits that they use. */
function countedDecisions(
  decide: Policy['decide'],
  { userId, sessionId }: Omit<PolicyCaller, 'usedLimits'>,
  counts: () => LimitCounts,
): Pick<ExecutionPolicy, 'decide' | 'rehearse'> {
  const isUsedUp = (limit: RuleLimit) => counts().isUsedUp(limit);
  const counted =
    (count: 'use' | 'rehearse'): ExecutionPolicy['decide'] =>
    (tool, args, origins) => {
      const decision = decide({ tool, arguments: args, userId, sessionId, origins }, isUsedUp);
      if (decision.limit) counts()[count](decision.limit);
      return decision;
    };
  return { decide: counted('use'), rehearse: counted('rehearse') };
}

function originRules(config: PolicyConfig, sinksOf: OriginRules['sinksOf']): OriginRules {
  const { trust, own } = config;
  return {
    trustOf: onceForEach(trustFrom(trust)),
    sinksOf,
    own: ownPlaces(own),
    readers: readersFrom(config),
  };
}

/** Returns the origins of arguments of which only the request is known. */
function originsOfRequest(
  rules: OriginRules,
  { tool, arguments: args }: ExplainedCall,
  request: string | undefined,
): CallOrigins {
  const answers = { fieldsOf: () => [], extractedType: () => undefined, partOf: () => undefined };
  const text = request === undefined ? undefined : trustedText(request);
  return callOrigins(tool, args, args, { rules, own: rules.own, request: text, program: undefined, answers });
}

function decisionOf({ action, label, limit }: CompiledRule): Decision {
  return { action, rule: label, limit };
}

/** Returns a function that computes its result once for each tool. A tool that its server lists again is a new object. */
function onceForEach<T>(compute: (tool: Tool) => T): (tool: Tool) => T {
  const known = new WeakMap<Tool, T>();
  return (tool) => {
    const result = known.get(tool) ?? compute(tool);
    known.set(tool, result);
    return result;
  };
}
