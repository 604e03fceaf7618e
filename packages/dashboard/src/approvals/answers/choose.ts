import { useRef, useState } from 'react';
import type { Approval } from '../../api/types.ts';
import { keyOf } from '../open-questions.ts';

/** The question that a person looks at. */
export interface Chosen {
  /** Absent when it is open no longer. */
  readonly current: Approval | undefined;
  /** Its place in the list. */
  readonly index: number;
  /** The question that another person decided, or that ended otherwise, while it was shown. */
  readonly gone: Approval | undefined;
  readonly choose: (question: Approval | undefined) => void;
  /** Chooses the question this number of places further. */
  readonly move: (step: number) => void;
}

/**
 * Keeps the chosen question. When it leaves the queue by itself, the next one does not replace it. A person who presses a key at this
 * moment has not seen the next one.
 */
export function useChosen(open: readonly Approval[], loaded: readonly Approval[], first: number | undefined): Chosen {
  const [chosen, choose] = useState<Approval>();
  const last = useRef(0);
  const isChosen = (each: Approval) => chosen !== undefined && keyOf(each) === keyOf(chosen);
  const isGone = chosen !== undefined && !loaded.some(isChosen);
  const found = open.findIndex(chosen ? isChosen : ({ call }) => call === first);
  const index = isGone ? -1 : Math.max(0, found);
  const current = open[index];
  if (current && !isChosen(current)) choose(current);
  if (index >= 0) last.current = index;
  return {
    current,
    index,
    choose,
    gone: isGone ? chosen : undefined,
    move(step) {
      const place = isGone ? last.current : index + step;
      const next = open[Math.max(0, Math.min(open.length - 1, place))];
      if (!next) return;
      choose(next);
      document.querySelector(`[data-question="${CSS.escape(keyOf(next))}"]`)?.scrollIntoView({ block: 'nearest' });
    },
  };
}
