import type { ReactNode } from 'react';
import type { Status as StatusName } from '../api/client.ts';

const LOOK: Readonly<Record<string, { readonly sign: string; readonly className: string }>> = {
  queued: { sign: '○', className: 'text-muted' },
  running: { sign: '◐', className: 'text-ink' },
  suspended: { sign: '!', className: 'text-wait bg-wait-back' },
  waiting: { sign: '!', className: 'text-wait bg-wait-back' },
  interrupted: { sign: '!', className: 'text-wait bg-wait-back' },
  completed: { sign: '✓', className: 'text-muted' },
  failed: { sign: '×', className: 'text-bad bg-bad-back' },
  stopped: { sign: '■', className: 'text-bad bg-bad-back' },
  cancelled: { sign: '–', className: 'text-muted' },
};
const WAITS: Readonly<Record<string, string>> = {
  approval: 'waits for approval',
  input: 'waits for input',
  authorization: 'waits for a login',
  outcome: 'unknown outcome',
  timer: 'waits for its time',
};

type AnyStatus = StatusName | 'queued' | 'waiting';

/** Returns the status in words: for a suspended execution and a waiting task, what it waits for. */
export function statusText(status: AnyStatus, waitingFor: readonly string[] = []): string {
  const [first] = waitingFor;
  const waits = status === 'suspended' || status === 'waiting';
  return waits && first !== undefined ? (WAITS[first] ?? status) : status;
}

/** Shows a status by a sign and a word. Success is quiet. */
export function Status({
  status,
  waitingFor,
}: {
  readonly status: AnyStatus;
  readonly waitingFor?: readonly string[] | undefined;
}): ReactNode {
  const isTimer = waitingFor?.[0] === 'timer';
  const look = (isTimer ? LOOK.running : LOOK[status]) ?? { sign: '?', className: 'text-muted' };
  return (
    <span className={`inline-flex items-center gap-1.5 rounded px-1 font-medium whitespace-nowrap ${look.className}`}>
      <span aria-hidden="true" className="w-3 text-center">
        {look.sign}
      </span>
      {statusText(status, waitingFor)}
    </span>
  );
}
