import type { EndStatus } from '../history.ts';
import { endStatus } from '../history.ts';
import { questionNumber } from '../recording/recorded-entries.ts';

/** The changes of the tables that lines of a journal have besides themselves. */
export interface Settlement {
  /** The calls and the numbers of the questions whose decisions the lines apply. */
  readonly applied?: readonly (readonly [call: number, question: number])[];
  /** Present when the status changes: to none for an execution that goes on. */
  readonly settled?: {
    readonly status?: EndStatus | 'suspended';
    /** Milliseconds from now on. */
    readonly wakeInMs?: number;
  };
}

const KIND = /^\{"entry":"(decision|suspend|resume|end)"/;

/** Returns the changes that lines have. `now` is the time of the database, in milliseconds since the epoch. */
export function settlementOf(lines: readonly string[], now: number): Settlement {
  const applied: [number, number][] = [];
  let settled: Settlement['settled'];
  for (const line of lines) {
    const [, kind] = KIND.exec(line) ?? [];
    if (kind === undefined) continue;
    const { number, question, status, limit, wakeMs } = JSON.parse(line);
    if (kind === 'decision') applied.push([number, questionNumber({ question })]);
    else if (kind === 'resume') settled = {};
    else if (kind === 'suspend') settled = { status: 'suspended', wakeInMs: wakeMs - now };
    else settled = { status: endStatus(status, limit) };
  }
  return { applied: applied.length > 0 ? applied : undefined, settled };
}
