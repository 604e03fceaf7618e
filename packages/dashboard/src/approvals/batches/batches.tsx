import type { ReactNode } from 'react';
import type { Approval } from '../../api/types.ts';
import type { Choice } from '../answers/choice.ts';

interface BatchesProps {
  /** Whether other questions are hidden or not loaded. */
  readonly isPart: boolean;
  readonly open: readonly Approval[];
  readonly current: Approval | undefined;
  readonly marks: readonly Approval[];
  readonly start: (choice: Choice) => void;
}

/** Decisions about several questions. Each one is confirmed. */
export function Batches({ isPart, open, current, marks, start }: BatchesProps): ReactNode {
  const approvals = open.filter(({ kind }) => kind === 'approval');
  const same = approvals.filter(({ tool }) => tool === current?.tool);
  const whole = isPart ? `the ${approvals.length} shown` : `all ${approvals.length}`;
  const [items, name] =
    marks.length > 0
      ? [marks, `${marks.length} marked`]
      : same.length < approvals.length && same.length > 1
        ? [same, `${same.length} of this tool`]
        : [approvals, whole];
  if (items.length < 2 && marks.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-2 border-t border-line p-2">
      <button type="button" className="button" onClick={() => start({ action: 'approve', items })}>
        Approve {name}
      </button>
      <button type="button" className="button" onClick={() => start({ action: 'deny', items })}>
        Deny {name}
      </button>
      {items === same && (
        <>
          <button type="button" className="button quiet" onClick={() => start({ action: 'approve', items: approvals })}>
            Approve {whole}
          </button>
          <button type="button" className="button quiet" onClick={() => start({ action: 'deny', items: approvals })}>
            Deny {whole}
          </button>
        </>
      )}
    </div>
  );
}
