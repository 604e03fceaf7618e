import { type KeyboardEvent, type RefObject, useRef } from 'react';
import { useKeys } from './keys.ts';
import { ROW_STEPS } from './row-steps.ts';

interface ItemKeys {
  readonly ref: RefObject<HTMLUListElement | null>;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * Returns the properties of a list whose items each open something by their first link or button. `j` and `k` move the focus from item to
 * item, and so do the arrows, `Home`, `End`, `PageUp` and `PageDown` within the list.
 */
export function useItemKeys(): ItemKeys {
  const ref = useRef<HTMLUListElement>(null);
  const move = (step: number) => {
    const items = [...(ref.current?.children ?? [])].flatMap(
      (item) => item.querySelector<HTMLElement>('a, button') ?? [],
    );
    const focused = items.findIndex((item) => item.matches(':focus'));
    const at = focused >= 0 ? focused : items.findIndex((item) => item.getAttribute('aria-current') === 'true');
    // The first key goes to the first item.
    const next = at < 0 ? 0 : Math.max(0, Math.min(items.length - 1, at + step));
    items[next]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = ROW_STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  };
  return { ref, onKeyDown };
}
