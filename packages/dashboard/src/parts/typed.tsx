import { type ReactNode, useEffect, useRef, useState } from 'react';
import { leaveOnEscape } from './keys.ts';

const TYPING_MS = 150;

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly className: string;
}

/** A text field whose value counts when the person stops typing, or presses Enter. */
export function Typed({ label, value, change, className }: TypedProps): ReactNode {
  const [text, setText] = useState(value);
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => latest.current(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      className={className}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        leaveOnEscape(event);
        const typed = event.currentTarget.value.trim();
        if (event.key === 'Enter' && typed !== value) change(typed);
      }}
    />
  );
}
