import { randomUUID } from 'node:crypto';
import { compileArguments, type SchemaProblem } from '../../config/policy/argument-schema.ts';
import { startEvaluation } from '../../config/policy/verdict.ts';
import { ToolwrightError } from '../../errors.ts';
import { openValue, sealValue } from '../../journal/sealed-value.ts';
import { codeOf } from '../../stores/data-folder/integrity.ts';
import type { Store } from '../../stores/store.ts';
import { type CallBinding, isSameServer } from '../questions/call-binding.ts';

/** The later calls of a tool that a person approves: those with the same arguments, all, or those whose real arguments fit a JSON Schema. */
export type LastingArguments = 'exact' | 'any' | Readonly<Record<string, unknown>>;

/** How long and for which arguments an approval lasts. */
export interface LastingRequest {
  readonly arguments: LastingArguments;
  /** ISO 8601: the end of the approval. Default: it lasts until it is revoked, or the definition of the tool changes. */
  readonly expiresAt?: string | undefined;
}

/** An approval of a person for later executions of the same user. It has no arguments of calls. */
export interface LastingDecision {
  readonly id: string;
  readonly tool: string;
  /** `schema`: calls whose arguments fit the JSON Schema of the person. */
  readonly arguments: 'exact' | 'any' | 'schema';
  /** The person who decided. */
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly expiresAt?: string;
}

/** The lasting decisions of all users, in the store that all processes share. */
export interface LastingDecisions {
  /** Stores the approval of a call. Raises `CONFIG_INVALID` for too many, and `STORE_UNAVAILABLE`. */
  add(userId: string, call: ApprovedCall, request: LastingRequest): Promise<LastingDecision>;
  /** Returns the decision that holds for a call with these real arguments; undefined without one. */
  find(userId: string, binding: CallBinding, args: unknown): Promise<LastingDecision | undefined>;
  /** Returns the decisions of a user, oldest first, without expired ones. */
  list(userId: string): Promise<readonly LastingDecision[]>;
  /** Removes a decision. Raises `CONFIG_INVALID` if the user has none with this id. */
  revoke(userId: string, id: string): Promise<LastingDecision>;
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
  /** Of `exact`: the code of the call. */
  readonly binding?: string;
  readonly schema?: unknown;
}

/** The namespace in the store, with one entry per user. */
export const LASTING_NAMESPACE = 'lasting-decisions';
const MAX_DECISIONS = 500;
const MAX_ATTEMPTS = 10;

/** Opens the lasting decisions in a store. An entry that others have changed counts as none. */
export function openLastingDecisions(store: Pick<Store, 'get' | 'put'>, key: () => Buffer): LastingDecisions {
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
      const { arguments: scope, expiresAt } = request;
      const { binding, toolBinding, serverBinding } = codes;
      const decision: StoredDecision = {
        id: randomUUID(),
        tool,
        by,
        at: new Date().toISOString(),
        toolBinding,
        arguments: typeof scope === 'string' ? scope : 'schema',
        ...(scope === 'exact' ? { binding } : typeof scope === 'string' ? {} : { schema: scope }),
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
      const found = decisions.find((decision) => holdsFor(decision, codes, args));
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

function holdsFor(decision: StoredDecision, codes: CallBinding, args: unknown): boolean {
  if (decision.toolBinding !== codes.toolBinding || !isSameServer(decision, codes)) return false;
  if (decision.arguments === 'exact') return decision.binding === codes.binding;
  return decision.arguments === 'any' || compileArguments(decision.schema, [])(args, startEvaluation()) === true;
}

function shownOf({ id, tool, arguments: scope, by, at, expiresAt }: StoredDecision): LastingDecision {
  return { id, tool, arguments: scope, by, at, expiresAt };
}

/** Checks a request for a lasting approval. Raises `CONFIG_INVALID`. */
export function checkLasting({ arguments: scope, expiresAt }: LastingRequest): void {
  if (scope !== 'exact' && scope !== 'any') {
    if (typeof scope !== 'object' || scope === null || Array.isArray(scope))
      throw new ToolwrightError('CONFIG_INVALID', 'always.arguments must be "exact", "any" or a JSON Schema.');
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
