import { type ReactNode, useId, useState } from 'react';
import type { Approval } from '../../api/types.ts';
import { Text } from '../../text/text.tsx';
import type { Choice } from './choice.ts';
import { type SameArguments, sameArguments } from './same-arguments.ts';

const MAX_NEXT = 1_000;

interface CoverNextProps {
  readonly question: Approval;
  readonly act: (choice: Choice) => void;
}

/** Approves a call with the next calls of its tool, of all or of those with the same values of some arguments. */
export function CoverNext({ question, act }: CoverNextProps): ReactNode {
  const [next, setNext] = useState(5);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const field = useId();
  const { names, hidden }: SameArguments = sameArguments(question.arguments);
  const toggle = (name: string) => {
    const changed = new Set(chosen);
    if (!changed.delete(name)) changed.add(name);
    setChosen(changed);
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label htmlFor={field} className="sr-only">
        Number of further calls
      </label>
      <input
        id={field}
        type="number"
        min={1}
        max={MAX_NEXT}
        value={next}
        className="w-20"
        onChange={(event) => setNext(Number(event.target.value))}
      />
      <button
        type="button"
        className="button"
        disabled={!Number.isInteger(next) || next < 1 || next > MAX_NEXT}
        title="Also approves later calls of this tool in this execution, without another question"
        onClick={() => act({ action: 'approve', items: [question], next, same: [...chosen] })}
      >
        Approve with the next {next}
      </button>
      <span className="text-muted">calls of this tool in this execution,</span>
      {names.length > 0 && (
        <details>
          <summary className="cursor-pointer text-muted">
            {chosen.size === 0 ? 'with any arguments' : `with the same ${chosen.size}`}
          </summary>
          <fieldset className="flex flex-wrap gap-x-3">
            <legend className="text-muted">Only calls with the same</legend>
            {names.map((name) => (
              <label key={name} className="flex items-center gap-1.5">
                <input
                  type="checkbox"
                  className="min-h-0"
                  checked={chosen.has(name)}
                  disabled={hidden.has(name)}
                  onChange={() => toggle(name)}
                />
                <Text value={name} limit={40} className="code" />
                {hidden.has(name) && <span className="text-muted">(show personal data first)</span>}
              </label>
            ))}
          </fieldset>
        </details>
      )}
    </div>
  );
}
