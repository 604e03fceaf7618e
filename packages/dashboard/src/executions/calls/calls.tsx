import { type ReactNode, useMemo, useState } from 'react';
import { Typed } from '../../parts/typed.tsx';
import { hasWords } from '../../text/words.ts';
import { Waterfall, type WaterfallProps } from './waterfall.tsx';

/** The calls of an execution on a time axis, with a search by tool and outcome. */
export function Calls({ calls, ...rest }: WaterfallProps): ReactNode {
  const [words, setWords] = useState('');
  const shown = useMemo(
    () => (words === '' ? calls : calls.filter(({ tool, outcome }) => hasWords(`${tool} ${outcome}`, words))),
    [calls, words],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="border-b border-line p-1">
        <Typed label="Search calls by tool or outcome" value={words} change={setWords} className="w-full" />
      </div>
      <div className="min-h-0 flex-1">
        {shown.length === 0 ? (
          <p className="p-3 text-muted">No call has these words.</p>
        ) : (
          <Waterfall {...rest} calls={shown} />
        )}
      </div>
    </div>
  );
}
