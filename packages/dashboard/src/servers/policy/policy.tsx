import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
import { send } from '../../api/session.ts';
import type { PolicyExplanation } from '../../api/types.ts';
import { Failure } from '../../parts/states.tsx';
import { Text } from '../../text/text.tsx';
import { parseJson } from '../schema-form.ts';
import { type DecidingRule, PolicyRules } from './rules.tsx';

/** A decision, and whether it is of another policy than the one in force. */
interface Tested {
  readonly verdict: PolicyExplanation;
  readonly isOther: boolean;
}

/** The body of `POST /policy/test`. */
interface TestedCall {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly policy?: unknown;
}

const [ARGUMENTS, POLICY] = ['Arguments, as JSON', 'Other policy, as JSON'];

interface CallFormProps {
  readonly isPending: boolean;
  readonly submit: (form: FormData) => void;
}

const TRAITS = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'idempotent'],
  ['openWorldHint', 'open to the world'],
] as const;

/** Asks the policy about a call that is not made, and shows the rules in force. */
export function Policy(): ReactNode {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: async (form: FormData): Promise<Tested> => {
      const call = callOf(form);
      return { verdict: await send('POST', 'policy/test', call), isOther: call.policy !== undefined };
    },
  });
  return (
    <div className="flex flex-col gap-6">
      <div className="grid gap-4 lg:grid-cols-2">
        <CallForm isPending={isPending} submit={mutate} />
        <div role="status">
          {error && <Failure error={error} />}
          {data && <PolicyVerdict verdict={data.verdict} />}
          {data?.isOther && <p className="mt-2 text-muted">This is the decision of the other policy.</p>}
        </div>
      </div>
      <PolicyRules deciding={data && !data.isOther ? decidingOf(data.verdict) : undefined} />
    </div>
  );
}

/** All rules before the one that decides are in the explanation. */
function decidingOf({ earlier, action }: PolicyExplanation): DecidingRule {
  return { place: earlier.length, isOpen: action === 'depends' };
}

/** Reads the fields of the form; empty ones are left out. Raises an error that names a field without JSON. */
function callOf(form: FormData): TestedCall {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const [args, userId, sessionId, policy] = ['arguments', 'userId', 'sessionId', 'policy'].map(text);
  return {
    tool: text('tool'),
    arguments: args ? parseJson(ARGUMENTS, args) : undefined,
    userId: userId || undefined,
    sessionId: sessionId || undefined,
    policy: policy ? parseJson(POLICY, policy) : undefined,
  };
}

/** Asks for a call that is not made. */
function CallForm({ isPending, submit }: CallFormProps): ReactNode {
  const [tool, args, user, session, policy] = [useId(), useId(), useId(), useId(), useId()];
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit(new FormData(event.currentTarget));
  };
  return (
    <form className="flex flex-col gap-2" onSubmit={send}>
      <label htmlFor={tool}>Tool</label>
      <input id={tool} name="tool" required placeholder="server__tool" className="code" />
      <label htmlFor={args}>{ARGUMENTS}</label>
      <textarea id={args} name="arguments" rows={5} className="code" />
      <label htmlFor={user}>User</label>
      <input id={user} name="userId" />
      <label htmlFor={session}>Session</label>
      <input id={session} name="sessionId" maxLength={64} className="code" />
      <details>
        <summary className="cursor-pointer">Test another policy</summary>
        <label htmlFor={policy} className="text-muted">
          {POLICY}
        </label>
        <textarea
          id={policy}
          name="policy"
          rows={5}
          placeholder={'{ "preset": "careful", "rules": [] }'}
          className="code w-full"
        />
      </details>
      <button type="submit" className="button self-start" disabled={isPending}>
        What would the policy do?
      </button>
    </form>
  );
}

/** The decision about a tested call: its rule, and why no earlier rule decides. */
function PolicyVerdict({ verdict }: { readonly verdict: PolicyExplanation }): ReactNode {
  const { action, rule, limit, annotations, earlier } = verdict;
  const traits = TRAITS.map(([key, name]) => (annotations[key] === true ? name : `not ${name}`));
  return (
    <>
      <p className="text-lg font-semibold">{action === 'depends' ? 'depends on the arguments' : action}</p>
      <p>
        By <Text value={rule} className="code" />
        {limit !== undefined && `, at most ${limit}`}
      </p>
      <p className="text-muted">The tool is {traits.join(', ')}.</p>
      {earlier.length > 0 && (
        <ol aria-label="Earlier rules" className="mt-2">
          {earlier.map(({ rule: name, action: other, depends, key, condition }, place) => (
            <li key={place} className="text-muted">
              <Text value={name} limit={120} className="code" /> ({other})
              {depends ? ' depends on: ' : ' does not match: '}
              <Text value={condition === undefined ? key : `${key}, ${condition}`} limit={200} className="code" />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
