import { type ReactNode, useState } from 'react';
import type { Approval } from '../api/types.ts';
import { useKeys } from '../parts/keys.ts';
import type { Choice } from './answers/choice.ts';
import { useChosen } from './answers/choose.ts';
import { useDecide } from './answers/use-decide.ts';
import { BatchDialog } from './batches/batch.tsx';
import { Batches } from './batches/batches.tsx';
import { Gone } from './gone.tsx';
import { keyOf } from './open-questions.ts';
import { Question } from './question.tsx';
import { QuestionRow } from './row.tsx';

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
