import { type KeyboardEvent as FieldEvent, useEffect, useRef } from 'react';
import { preferences } from '../platforms/preferences.ts';

const FIELDS = 'input, textarea, select, [contenteditable="true"], .cm-editor';

/**
 * Calls a function for each single key of a map, such as `j`. Not in text fields, not with Ctrl, Alt or Meta, not below an
 * open dialog, and not when the person has switched single keys off.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = latest.current[event.key];
      if (!action || !preferences().shortcuts || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target instanceof Element && event.target.closest(FIELDS)) return;
      if (document.querySelector('[role="dialog"][data-state="open"]')) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Leaves a field with Escape. The browser alone would empty a search. */
export function leaveOnEscape(event: FieldEvent<HTMLInputElement>): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.currentTarget.blur();
}

/** Focuses the search of the screen, if it has one. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus();
}
