import type { ReactNode } from 'react';
import type { Approval } from '../../api/types.ts';
import type { Choice } from '../answers/choice.ts';

interface LastingProps {
  readonly question: Approval;
  readonly act: (choice: Choice) => void;
}

/** Approves a call, and later calls of its tool in all executions of the user. */
export function Lasting({ question, act }: LastingProps): ReactNode {
  const always = (scope: NonNullable<Choice['always']>) => act({ action: 'approve', items: [question], always: scope });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <button
        type="button"
        className="button"
        title="Also approves later calls of this tool with the same arguments, in all executions of this user"
        onClick={() => always('exact')}
      >
        Always with these arguments
      </button>
      <button
        type="button"
        className="button"
        title="Also approves later calls of this tool for the same receivers, places and records, with no larger amounts, in all executions of this user for 90 days"
        onClick={() => always('targets')}
      >
        Always for these targets
      </button>
      <button
        type="button"
        className="button"
        title="Also approves all later calls of this tool, in all executions of this user"
        onClick={() => always('any')}
      >
        Always for this tool
      </button>
      <span className="text-muted">until revoked, or the definition of the tool changes</span>
    </div>
  );
}
