import { type ReactNode, useState } from 'react';
import type { Approval } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { useKeys } from '../parts/keys.ts';
import { ago, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import type { Choice } from './answers/choice.ts';
import { useChosen } from './answers/choose.ts';
import { useDecide } from './answers/use-decide.ts';
import { BatchDialog } from './batches/batch.tsx';
import { Batches } from './batches/batches.tsx';
import { Decided } from './decided.tsx';
import { keyOf } from './open-questions.ts';
import { Question } from './question.tsx';

interface QuestionsProps {
  readonly open: readonly Approval[];
  /** Also those that are hidden by words. */
  readonly loaded: readonly Approval[];
  /** Whether other questions are hidden or not loaded. */
  readonly isPart: boolean;
  /** The call that is chosen first. */
  readonly first: number | undefined;
  readonly mayDecide: boolean;
  /** Shown after the last question. */
  readonly more: ReactNode;
}

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

/** The list of open questions, and the chosen one. */
export function Questions({ open, loaded, isPart, first, mayDecide, more }: QuestionsProps): ReactNode {
  const { current, index, gone, choose, move } = useChosen(open, loaded, first);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [batch, setBatch] = useState<Choice>();
  const run = useDecide();
  const marks = open.filter((each) => marked.has(keyOf(each)));
  const act = (choice: Choice) => {
    const decided = new Set(choice.items.map(keyOf));
    // The next question takes the place of a decided one.
    const rest = open.filter((each) => !decided.has(keyOf(each)));
    if (current && decided.has(keyOf(current))) choose(rest.find((each) => open.indexOf(each) > index) ?? rest.at(-1));
    setMarked(new Set());
    run(choice);
  };
  const toggle = (question: Approval) => {
    const next = new Set(marked);
    if (!next.delete(keyOf(question))) next.add(keyOf(question));
    setMarked(next);
  };
  const isMarkable = ({ kind }: Approval) => mayDecide && kind === 'approval';
  const byKey = (action: 'approve' | 'deny') => {
    if (mayDecide && marks.length > 0) setBatch({ action, items: marks });
    else if (current && isMarkable(current)) act({ action, items: [current] });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    a: () => byKey('approve'),
    d: () => byKey('deny'),
    x: () => current && isMarkable(current) && toggle(current),
  });
  return (
    <div className="grid min-h-0 flex-1 gap-2 overflow-auto p-2 lg:grid-cols-[minmax(18rem,2fr)_3fr] lg:overflow-hidden">
      <section
        aria-label="Open questions"
        className="panel flex max-h-[45vh] min-h-24 flex-col overflow-hidden lg:max-h-none"
      >
        <ul className="min-h-0 flex-1 overflow-auto">
          {open.map((each, position) => (
            <QuestionRow
              key={keyOf(each)}
              question={each}
              isChosen={position === index}
              isMarked={marked.has(keyOf(each))}
              choose={() => choose(each)}
              toggle={isMarkable(each) ? () => toggle(each) : undefined}
            />
          ))}
        </ul>
        {more}
        {mayDecide && <Batches isPart={isPart} open={open} current={current} marks={marks} start={setBatch} />}
      </section>
      {current && <Question key={keyOf(current)} question={current} act={act} mayDecide={mayDecide} />}
      {gone && <Gone question={gone} next={() => move(1)} />}
      {batch && <BatchDialog choice={batch} close={() => setBatch(undefined)} act={act} />}
    </div>
  );
}

/** Takes the place of a question that left the queue while it was shown, until the person goes on. */
function Gone({ question, next }: { readonly question: Approval; readonly next: () => void }): ReactNode {
  return (
    <section aria-label="Question" className="panel flex min-h-0 flex-col overflow-auto">
      <h2 className="p-3 text-base">This question is not open any more</h2>
      <Decided executionId={question.executionId} call={question.call} />
      <div className="p-3">
        <button type="button" className="button" onClick={next}>
          Show the next question
        </button>
      </div>
    </section>
  );
}

/** One open question of the list. */
function QuestionRow({ question, isChosen, isMarked, choose, toggle }: QuestionRowProps): ReactNode {
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
