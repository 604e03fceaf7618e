import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useMayChange } from '../api/session.ts';
import { type ExecutionSearch, STATUSES } from '../events/filter.ts';
import { useLive } from '../events/live.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loading } from '../parts/states.tsx';
import { TimeSelect } from '../parts/time/time-select.tsx';
import { Typed } from '../parts/typed.tsx';
import { count } from '../text/format.ts';

const RunProgram = lazy(() => import('./run-program.tsx'));

const HOURS: readonly (readonly [hours: number, name: string])[] = [
  [1, 'Last hour'],
  [24, 'Last day'],
  [168, 'Last week'],
  [720, 'Last 30 days'],
];
const FIELDS = [
  ['userId', 'User'],
  ['sessionId', 'Session'],
  ['tool', 'Tool'],
  ['error', 'Error code'],
  ['minMs', 'Took at least, in ms'],
  ['minTokens', 'At least this many tokens'],
] as const;

interface FiltersProps {
  readonly search: ExecutionSearch;
  readonly shown: number;
  readonly isComplete: boolean;
}

/** The filter of the list. Each change is in the URL. */
export function Filters({ search, shown, isComplete }: FiltersProps): ReactNode {
  const navigate = useNavigate();
  const { seen } = useLive();
  const hasMore = FIELDS.some(([name]) => search[name] !== undefined);
  const [isOpen, setOpen] = useState(hasMore);
  const [isRunning, setRunning] = useState(false);
  const mayRun = useMayChange();
  const change = (part: Partial<Record<keyof ExecutionSearch, unknown>>) => {
    seen();
    const next = Object.fromEntries(
      Object.entries({ ...search, ...part }).filter(([, value]) => value !== undefined && value !== ''),
    );
    void navigate({ to: '/ui/executions', search: next as ExecutionSearch, replace: true });
  };
  return (
    <search className="border-b border-line bg-panel">
      <div className="flex flex-wrap items-center gap-2 p-2">
        <h1 className="mr-1 max-sm:sr-only">Executions</h1>
        <Typed
          label="Search programs, errors and tools"
          value={search.q ?? ''}
          change={(q) => change({ q })}
          className="min-w-40 flex-1 sm:max-w-80"
        />
        <select
          aria-label="Status"
          value={search.status ?? ''}
          onChange={(event) => change({ status: event.target.value })}
        >
          <option value="">All statuses</option>
          {STATUSES.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
        <TimeSelect
          range={search}
          presets={HOURS}
          anyTime="Any time"
          change={({ hours, from, to }) => change({ hours, from, to })}
        />
        {mayRun && (
          <button type="button" className="button button-main" onClick={() => setRunning(true)}>
            Run a program
          </button>
        )}
        <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters
        </button>
        <span className="ml-auto hidden text-muted md:inline" aria-live="polite">
          {count(shown)}
          {isComplete ? '' : '+'} shown
        </span>
      </div>
      {isOpen && (
        <div className="flex flex-wrap gap-2 px-2 pb-2">
          {FIELDS.map(([name, label]) => (
            <Typed
              key={name}
              label={label}
              value={search[name] ?? ''}
              change={(text) => change({ [name]: text })}
              className="w-44"
            />
          ))}
        </div>
      )}
      <Dialog
        wide
        title="Run a program"
        isOpen={isRunning}
        setOpen={setRunning}
        description="The program is checked first. Its calls follow the policy, as those of an agent do."
      >
        <Suspense fallback={<Loading rows={6} label="Loading the editor" />}>
          <RunProgram close={() => setRunning(false)} />
        </Suspense>
      </Dialog>
    </search>
  );
}
