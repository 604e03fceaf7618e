import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId } from 'react';
import { send } from '../api/session.ts';
import { Failure } from '../parts/states.tsx';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';

interface Verdict {
  readonly action: 'allow' | 'ask' | 'deny' | 'depends';
  readonly rule: string;
  readonly [more: string]: unknown;
}

/** Asks the policy about a call that is not made. */
export function PolicyTester(): ReactNode {
  const ids = [useId(), useId(), useId()];
  const test = useMutation({
    mutationFn: (form: FormData) => {
      const [tool, given, userId] = ['tool', 'arguments', 'userId'].map((name) => String(form.get(name) ?? '').trim());
      const parts = { ...(given ? { arguments: JSON.parse(given) } : {}), ...(userId ? { userId } : {}) };
      return send<Verdict>('POST', 'policy/test', { tool, ...parts });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    test.mutate(new FormData(event.currentTarget));
  };
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <form className="flex flex-col gap-2" onSubmit={submit}>
        <label htmlFor={ids[0]}>Tool</label>
        <input id={ids[0]} name="tool" required placeholder="server__tool" className="code" />
        <label htmlFor={ids[1]}>Arguments, as JSON</label>
        <textarea id={ids[1]} name="arguments" rows={5} className="code" />
        <label htmlFor={ids[2]}>User</label>
        <input id={ids[2]} name="userId" />
        <button type="submit" className="button self-start" disabled={test.isPending}>
          What would the policy do?
        </button>
      </form>
      <div role="status">
        {test.error && <Failure error={test.error} />}
        {test.data && (
          <>
            <p className="text-lg font-semibold">{test.data.action}</p>
            <p>
              By the rule <Text value={test.data.rule} className="code" />
            </p>
            <Json value={test.data} depth={1} />
          </>
        )}
      </div>
    </div>
  );
}
