import { type FormEvent, type ReactNode, useId } from 'react';
import { parseJson } from '../schema-form.ts';

/** The body of `POST /policy/test`. */
export interface TestedCall {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly policy?: unknown;
}

const [ARGUMENTS, POLICY] = ['Arguments, as JSON', 'Other policy, as JSON'];

/** Reads the fields of the form; empty ones are left out. Raises an error that names a field without JSON. */
export function callOf(form: FormData): TestedCall {
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

interface CallFormProps {
  readonly isPending: boolean;
  readonly submit: (form: FormData) => void;
}

/** Asks for a call that is not made. */
export function CallForm({ isPending, submit }: CallFormProps): ReactNode {
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
