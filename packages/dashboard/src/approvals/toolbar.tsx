import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { leaveOnEscape } from '../parts/keys.ts';
import { count } from '../text/format.ts';
import { NotificationSwitch } from './notifications.tsx';

interface ToolbarProps {
  readonly total: number;
  /** Whether the address selects an execution or a tool. */
  readonly isSelection: boolean;
  readonly words: string;
  readonly setWords: (words: string) => void;
  readonly isReal: boolean;
  readonly setReal: (isReal: boolean) => void;
}

/** The number of open questions, and the settings of the queue. */
export function Toolbar({ total, isSelection, words, setWords, isReal, setReal }: ToolbarProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
      <h1>Approvals</h1>
      <span className="text-muted" aria-live="polite">
        {count(total)} open
      </span>
      {isSelection && (
        <Link to="/ui/approvals" search={{}} className="button">
          Show all
        </Link>
      )}
      <input
        type="search"
        className="w-60"
        aria-label="Show calls with"
        placeholder="Tool, user or arguments"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={leaveOnEscape}
      />
      <div className="ml-auto flex flex-wrap items-center gap-2">
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            className="min-h-0"
            checked={isReal}
            onChange={(event) => setReal(event.target.checked)}
          />
          Show personal data (logged)
        </label>
        <NotificationSwitch />
      </div>
    </div>
  );
}
