import type { DecisionEntry, PauseEntry, QuestionEntry } from '../entries.ts';
import type { JournalLines } from '../lines.ts';
import { questionNumber } from '../recording/recorded-entries.ts';
import { sealEntry } from '../sealed-value.ts';

export interface QuestionLinesOptions {
  readonly key: Buffer;
  /** Id of the execution. */
  readonly id: string;
  readonly file: JournalLines;
  /** Raises `JOURNAL_FULL`, with the outcome, when this text does not fit. */
  readonly requireRoom: (text: string, outcome: string) => void;
  readonly writeGap: () => void;
  /** Writes an entry about a request of the guest. */
  readonly add: (entry: string, request: number, members: object) => void;
}

/** Returns the methods of a journal that write questions about calls, their decisions, and the calls that they hold up. */
export function questionLines({ key, id, file, requireRoom, writeGap, add }: QuestionLinesOptions) {
  return {
    ask({ request, ...question }: Omit<QuestionEntry, 'mac'>): void {
      const members = sealEntry(key, id, 'question', { ...question });
      requireRoom(JSON.stringify(members), 'Nobody was asked.');
      add('question', request, members);
    },
    decide: (decision: DecisionEntry): void =>
      file.settle('decision', sealEntry(key, id, 'decision', { ...decision }), {
        applied: [decision.number, questionNumber(decision)],
      }),
    pause(entry: PauseEntry): void {
      const members = sealEntry(key, id, 'pause', { ...entry });
      requireRoom(JSON.stringify(members), 'The call was not sent again.');
      writeGap();
      file.write('pause', members);
    },
    resend: (number: number): void => void file.write('send', { number }),
  };
}
