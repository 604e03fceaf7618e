import { randomUUID } from 'node:crypto';
import type { Store } from '@toolwright/storage';
import { codeOf } from '@toolwright/storage/internal';
import { compileArguments, type SchemaProblem } from '../../config/policy/argument-schema.ts';
import { startEvaluation } from '../../config/policy/verdict.ts';
import { ToolwrightError } from '../../errors.ts';
import { openValue, sealValue } from '../../journal/sealed-value.ts';
import { areWithin, type CallScope } from '../../tool-calls/policy/call-scope.ts';
import { amountsPlace, type CallBinding, isSameServer } from '../questions/call-binding.ts';

/**
 * The later calls of a tool that a person approves. `exact`: the same arguments. `targets`: the same receivers, places, records and choices,
 * and no larger amounts. `any`: all. Or calls whose real arguments fit a JSON Schema.
 */
export type LastingArguments = (typeof SCOPES)[number] | Readonly<Record<string, unknown>>;

/** How long and for which arguments an approval lasts. */
export interface LastingRequest {
  readonly arguments: LastingArguments;
  /** ISO 8601: the end of the approval. Default: it lasts until it is revoked, or the definition of the tool changes; for `targets`, 90 days. */
  readonly expiresAt?: string | undefined;
}

/** An approval of a person for later executions of the same user. It has no arguments of calls. */
export interface LastingDecision {
  readonly id: string;
  readonly tool: string;
  /** `schema`: calls whose arguments fit the JSON Schema of the person. */
  readonly arguments: (typeof SCOPES)[number] | 'schema';
  /** The person who decided. */
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly expiresAt?: string;
}

/** The approvals of persons that last, for these persons. */
export interface LastingDecisionList {
  /** Returns the decisions of a user, oldest first, without expired ones. */
  list(userId: string): Promise<readonly LastingDecision[]>;
  /** Removes a decision. Raises `CONFIG_INVALID` if the user has none with this id. */
  revoke(userId: string, id: string): Promise<LastingDecision>;
}

/** The lasting decisions of all users, in the store that all processes share. */
export interface LastingDecisions extends LastingDecisionList {
  /** Stores the approval of a call. Raises `CONFIG_INVALID` for too many, and `STORE_UNAVAILABLE`. */
  add(userId: string, call: ApprovedCall, request: LastingRequest): Promise<LastingDecision>;
  /** Returns the decision that holds for a call with these real arguments; undefined without one. */
  find(userId: string, binding: CallBinding, args: unknown): Promise<LastingDecision | undefined>;
}

/** The call that a person approved, and the person. */
export interface ApprovedCall {
  readonly tool: string;
  readonly by: string;
  readonly binding: CallBinding;
}

/** A decision with the codes of the calls for which it holds. */
interface StoredDecision extends LastingDecision {
  readonly toolBinding: string;
  readonly serverBinding?: string;
  /** Of `exact`: the code of the call. Of `targets`: that of its scope. */
  readonly binding?: string;
  /** Of `targets`: the largest amounts. */
  readonly amounts?: CallScope['amounts'];
  readonly schema?: unknown;
}

/** The namespace in the store, with one entry per user. */
export const LASTING_NAMESPACE = 'lasting-decisions';
const SCOPES = ['exact', 'targets', 'any'] as const;
const MAX_DECISIONS = 500;
/** Milliseconds for which an approval of targets lasts. */
const TARGETS_LAST_MS = 90 * 24 * 60 * 60 * 1_000;
const MAX_ATTEMPTS = 10;

/** Opens the lasting decisions in a store. An entry that others have changed counts as none. */
export function openLastingDecisions(store: Store, key: () => Buffer): LastingDecisions {
  const nameOf = (userId: string) => codeOf(key(), LASTING_NAMESPACE, userId);
  const placeOf = (userId: string) => [nameOf(userId), 0, LASTING_NAMESPACE] as const;

  async function read(userId: string): Promise<{ value: Buffer | undefined; decisions: readonly StoredDecision[] }> {
    const [value] = await store.get(LASTING_NAMESPACE, [nameOf(userId)]);
    if (value === undefined) return { value, decisions: [] };
    try {
      const all = openValue(key(), placeOf(userId), value.toString('utf8')) as readonly StoredDecision[];
      return {
        value,
        decisions: all.filter(({ expiresAt }) => expiresAt === undefined || Date.parse(expiresAt) > Date.now()),
      };
    } catch {
      return { value, decisions: [] };
    }
  }

  /** Another process may change the decisions of the user at the same time. */
  async function change<T>(
    userId: string,
    edit: (decisions: readonly StoredDecision[]) => { readonly next: readonly StoredDecision[]; readonly result: T },
  ): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { value: was, decisions } = await read(userId);
      const { next, result } = edit(decisions);
      const value = Buffer.from(sealValue(key(), placeOf(userId), next));
      const [isWritten] = await store.put(LASTING_NAMESPACE, [{ key: nameOf(userId), value, was: was ?? null }]);
      if (isWritten) return result;
    }
    throw new ToolwrightError('STORE_UNAVAILABLE', 'Others changed the lasting decisions at the same time. Try again.');
  }

  return {
    add(userId, { tool, by, binding: codes }, request) {
      const { arguments: scope, expiresAt = scope === 'targets' ? Date.now() + TARGETS_LAST_MS : undefined } = request;
      const { toolBinding, serverBinding } = codes;
      const decision: StoredDecision = {
        id: randomUUID(),
        tool,
        by,
        at: new Date().toISOString(),
        toolBinding,
        arguments: typeof scope === 'string' ? scope : 'schema',
        ...(typeof scope === 'string' ? namedScope(scope, codes, key()) : { schema: scope }),
        serverBinding,
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
      };
      return change(userId, (decisions) => {
        if (decisions.length >= MAX_DECISIONS) {
          const message = `The user has ${decisions.length} lasting decisions, the limit is ${MAX_DECISIONS}. Revoke some.`;
          throw new ToolwrightError('CONFIG_INVALID', message);
        }
        return { next: [...decisions, decision], result: shownOf(decision) };
      });
    },
    async find(userId, codes, args) {
      const { decisions } = await read(userId);
      const found = decisions.find((decision) => holdsFor(decision, codes, args, key()));
      return found && shownOf(found);
    },
    list: async (userId) => (await read(userId)).decisions.map(shownOf),
    revoke: (userId, id) =>
      change(userId, (decisions) => {
        const revoked = decisions.find((decision) => decision.id === id);
        if (revoked) return { next: decisions.filter((decision) => decision !== revoked), result: shownOf(revoked) };
        const message = `There is no lasting decision ${JSON.stringify(id.slice(0, 100))}. List them to see their ids.`;
        throw new ToolwrightError('CONFIG_INVALID', message);
      }),
  };
}

function holdsFor(decision: StoredDecision, codes: CallBinding, args: unknown, key: Buffer): boolean {
  if (decision.toolBinding !== codes.toolBinding || !isSameServer(decision, codes)) return false;
  if (decision.arguments === 'exact') return decision.binding === codes.binding;
  if (decision.arguments === 'targets') {
    const { scopeBinding } = codes;
    return decision.binding === scopeBinding && areWithin(amountsOf(codes, key), decision.amounts ?? {});
  }
  return decision.arguments === 'any' || compileArguments(decision.schema, [])(args, startEvaluation()) === true;
}

function namedScope(scope: (typeof SCOPES)[number], codes: CallBinding, key: Buffer): Partial<StoredDecision> {
  if (scope === 'any') return {};
  if (scope === 'exact') return { binding: codes.binding };
  return { binding: codes.scopeBinding, amounts: amountsOf(codes, key) };
}

/** Raises `CONFIG_INVALID` for a call without targets. */
function amountsOf({ scopeBinding, sealedAmounts }: CallBinding, key: Buffer): CallScope['amounts'] {
  if (scopeBinding === undefined || sealedAmounts === undefined)
    throw new ToolwrightError('CONFIG_INVALID', 'The call has no targets that later calls could share.');
  return openValue(key, amountsPlace(scopeBinding), sealedAmounts) as CallScope['amounts'];
}

function shownOf({ id, tool, arguments: scope, by, at, expiresAt }: StoredDecision): LastingDecision {
  return { id, tool, arguments: scope, by, at, expiresAt };
}

/** Checks a request for a lasting approval. Raises `CONFIG_INVALID`. */
export function checkLasting({ arguments: scope, expiresAt }: LastingRequest): void {
  if (!SCOPES.some((name) => name === scope)) {
    if (typeof scope !== 'object' || scope === null || Array.isArray(scope))
      throw new ToolwrightError(
        'CONFIG_INVALID',
        'always.arguments must be "exact", "targets", "any" or a JSON Schema.',
      );
    const problems: SchemaProblem[] = [];
    compileArguments(scope, problems);
    const [problem] = problems;
    if (problem)
      throw new ToolwrightError('CONFIG_INVALID', `always.arguments.${problem.path.join('.')}: ${problem.text}.`);
  }
  if (expiresAt === undefined) return;
  const ends = Date.parse(expiresAt);
  if (Number.isNaN(ends)) throw new ToolwrightError('CONFIG_INVALID', 'always.expiresAt must be a date in ISO 8601.');
  if (ends <= Date.now())
    throw new ToolwrightError('CONFIG_INVALID', 'always.expiresAt is in the past. Set a later one.');
}
