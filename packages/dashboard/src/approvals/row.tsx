import type { ReactNode } from 'react';
import type { Approval } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { ago, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { keyOf } from './open-questions.ts';

const KINDS: Readonly<Record<Approval['kind'], string>> = {
  approval: 'asks to call',
  outcome: 'may have called',
  input: 'gets a question from',
  authorization: 'needs a login for',
};

interface QuestionRowProps {
  readonly question: Approval;
  readonly isChosen: boolean;
  readonly isMarked: boolean;
  readonly choose: () => void;
  /** Absent for a question that is decided alone. */
  readonly toggle: (() => void) | undefined;
}

/** Milliseconds before its end from which a question shows it. */
const SOON_MS = 60 * 60 * 1_000;

/** One open question of the list. */
export function QuestionRow({ question, isChosen, isMarked, choose, toggle }: QuestionRowProps): ReactNode {
  const now = useNow();
  const { tool, userId, askedAt, expiresAt, kind, arguments: data } = question;
  const leftMs = Date.parse(expiresAt) - now;
  return (
    <li
      data-question={keyOf(question)}
      className={`flex items-start gap-2 border-b border-line px-2 py-1.5 [contain-intrinsic-size:auto_3rem] [content-visibility:auto] ${isChosen ? 'bg-chosen' : 'hover:bg-sunken'}`}
    >
      <input
        type="checkbox"
        aria-label={`Mark ${visibleText(tool, 80)}, call ${question.call}`}
        checked={isMarked}
        disabled={toggle === undefined}
        onChange={toggle}
        className={`mt-1 size-4 min-h-0 ${toggle === undefined ? 'invisible' : ''}`}
      />
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        onClick={choose}
        className="min-w-0 flex-1 cursor-pointer text-left"
      >
        <span className="flex justify-between gap-2">
          <span className="code truncate font-semibold">
            <Text isCut value={tool} limit={80} />
          </span>
          <span className="shrink-0 text-muted">
            {leftMs < SOON_MS && <span className="text-wait">expires in {duration(Math.max(0, leftMs))}, </span>}
            {askedAt !== undefined && ago(askedAt, now)}
          </span>
        </span>
        <span className="block truncate text-muted">
          <Text value={`${userId} ${KINDS[kind]}`} limit={60} />{' '}
          <Text isCut value={JSON.stringify(data) ?? ''} limit={120} className="code" />
        </span>
      </button>
    </li>
  );
}
