import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { send } from '../../api/session.ts';
import type { PolicyExplanation } from '../../api/types.ts';
import { Failure } from '../../parts/states.tsx';
import { CallForm, callOf } from './call-form.tsx';
import { type DecidingRule, PolicyRules } from './rules.tsx';
import { PolicyVerdict } from './verdict.tsx';

/** A decision, and whether it is of another policy than the one in force. */
interface Tested {
  readonly verdict: PolicyExplanation;
  readonly isOther: boolean;
}

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
