import type { Tool } from '@toolwright/connectors';
import { compileArguments } from '../../config/policy/argument-schema.ts';
import { lengthOf } from '../../config/policy/json.ts';
import { compileCarries, compileFrom } from '../../config/policy/origins/from.ts';
import type { CallOrigins } from '../../config/policy/origins/origins.ts';
import type { PolicyAction, PolicyRule } from '../../config/policy/schema.ts';
import { all, type Evaluation, measured, type Test, type Verdict } from '../../config/policy/verdict.ts';
import { compileGlobs } from '../../glob.ts';
import type { EffectiveAnnotations } from './annotations.ts';
import { limitOf, type RuleLimit } from './limits.ts';

/** A tool call, as a policy sees it. */
export interface PolicyCall {
  readonly tool: Tool;
  /** The arguments that the tool would receive. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly userId: string;
  readonly sessionId?: string | undefined;
  /** The origins of the arguments. Absent: unknown. */
  readonly origins?: CallOrigins | undefined;
}

/** A condition of a rule on the tool alone. */
interface ToolCondition {
  readonly key: 'servers' | 'tools' | 'annotations';
  readonly holds: (tool: Tool, annotations: EffectiveAnnotations) => boolean;
}

/** A condition of a rule on the caller. */
interface CallerCondition {
  readonly key: 'users' | 'sessions';
  readonly holds: (caller: Pick<PolicyCall, 'userId' | 'sessionId'>) => boolean;
}

/** A rule in the form that is evaluated. */
export interface CompiledRule {
  /** Its name in messages: `the rule "no refunds"`, or `policy.rules[2]`. */
  readonly label: string;
  readonly action: PolicyAction;
  readonly limit: RuleLimit | undefined;
  readonly toolConditions: readonly ToolCondition[];
  readonly callerConditions: readonly CallerCondition[];
  /** Absent for a rule that does not depend on arguments. */
  readonly fitsArguments: ((args: PolicyCall['arguments'], run: Evaluation) => boolean) | undefined;
  /** Returns the first key about the origins of arguments that does not hold. Absent for a rule that does not depend on them. */
  readonly missedOrigins: ((origins: CallOrigins | undefined) => 'from' | 'carries' | undefined) | undefined;
}

/** Compiles a rule that the schema of the configuration has checked. */
export function compileRule(rule: PolicyRule, index: number): CompiledRule {
  const { action, servers, tools, annotations, users, sessions } = rule;
  const toolConditions: ToolCondition[] = [];
  if (servers !== undefined) {
    const matches = compileGlobs(servers);
    toolConditions.push({ key: 'servers', holds: ({ server }) => matches(server) });
  }
  if (tools !== undefined) {
    const matches = compileGlobs(tools);
    toolConditions.push({ key: 'tools', holds: ({ id }) => matches(id) });
  }
  if (annotations !== undefined) {
    const wanted = Object.entries(annotations) as [keyof EffectiveAnnotations, boolean][];
    const holds: ToolCondition['holds'] = (_tool, own) => wanted.every(([key, value]) => own[key] === value);
    toolConditions.push({ key: 'annotations', holds });
  }
  const callerConditions: CallerCondition[] = [];
  if (users !== undefined) {
    const matches = compileGlobs(users);
    callerConditions.push({ key: 'users', holds: ({ userId }) => matches(userId) });
  }
  if (sessions !== undefined) {
    const matches = compileGlobs(sessions);
    callerConditions.push({ key: 'sessions', holds: ({ sessionId }) => sessionId !== undefined && matches(sessionId) });
  }
  return {
    label: ruleLabel(rule, index),
    action,
    limit: limitOf(rule),
    toolConditions,
    callerConditions,
    fitsArguments: argumentCondition(rule),
    missedOrigins: originCondition(rule),
  };
}

function originCondition({ from, carries, action }: PolicyRule): CompiledRule['missedOrigins'] {
  const tests = [
    ...(from === undefined ? [] : [{ key: 'from', holds: compileFrom({ from, action }) } as const]),
    ...(carries === undefined ? [] : [{ key: 'carries', holds: compileCarries(carries) } as const]),
  ];
  return tests.length === 0 ? undefined : (origins) => tests.find(({ holds }) => !holds(origins))?.key;
}

/** Returns the name of a rule in messages. `index`: its place among the rules. */
export function ruleLabel({ name }: PolicyRule, index: number): string {
  return name === undefined ? `policy.rules[${index}]` : `the rule "${name}"`;
}

/** A rule that allows needs arguments that certainly fit; all others apply unless they certainly do not. */
function argumentCondition({ action, arguments: schema, argumentGlobs }: PolicyRule): CompiledRule['fitsArguments'] {
  const tests: Test[] = [];
  if (schema !== undefined) tests.push(compileArguments(schema, []));
  if (argumentGlobs !== undefined) tests.push(compileArgumentGlobs(argumentGlobs));
  if (tests.length === 0) return undefined;
  const fits = all(tests);
  return (args, run) => {
    const verdict = fits(args, run);
    return action === 'allow' ? verdict === true : verdict !== false;
  };
}

/**
 * Compiles globs over arguments, by property. A list of texts matches if all its texts match, does not match if none does, and is
 * undecided in between. Other values are undecided.
 */
function compileArgumentGlobs(byProperty: Readonly<Record<string, string | readonly string[]>>): Test {
  const tests = Object.entries(byProperty).map(([name, globs]) => {
    const isMatch = compileGlobs(globs);
    const matches = measured(
      name,
      (text) => (typeof text === 'string' ? isMatch(text) : undefined),
      (text) => lengthOf(text) * (typeof globs === 'string' ? 1 : globs.length),
    );
    const test: Test = (value, run) =>
      Array.isArray(value) ? ofList(value, (text) => matches(text, run)) : matches(value, run);
    return (args: unknown, run: Evaluation) => {
      const given = args as Readonly<Record<string, unknown>>;
      return test(Object.hasOwn(given, name) ? given[name] : undefined, run);
    };
  });
  return all(tests);
}

/** Stops at the first text that makes the list undecided. */
function ofList(texts: readonly unknown[], matches: (text: unknown) => Verdict): Verdict {
  const verdict = texts.length === 0 ? undefined : matches(texts[0]);
  return verdict !== undefined && texts.every((text) => matches(text) === verdict) ? verdict : undefined;
}
