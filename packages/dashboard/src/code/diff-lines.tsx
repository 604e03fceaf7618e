import { type ReactNode, useState } from 'react';
import { count } from '../text/format.ts';
import { Text } from '../text/text.tsx';

const MAX_LINES = 500;
const LOOKS: Readonly<Record<string, string>> = {
  '+': 'bg-chosen',
  '-': 'bg-sunken text-muted',
  '@': 'text-muted',
};

/** Shows a unified diff, without the names of its files. */
export function DiffLines({ diff }: { readonly diff: string }): ReactNode {
  const [limit, setLimit] = useState(MAX_LINES);
  const lines = diff.slice(Math.max(0, diff.indexOf('@@'))).split('\n');
  return (
    <div className="code overflow-x-auto rounded-md border border-line" tabIndex={0} role="group" aria-label="Changes">
      {lines.slice(0, limit).map((line, index) => (
        <div key={index} className={`min-h-5 min-w-max px-2 whitespace-pre ${LOOKS[line[0] ?? ''] ?? ''}`}>
          <Text value={line} limit={1_000} />
        </div>
      ))}
      {lines.length > limit && (
        <button type="button" className="button m-2" onClick={() => setLimit(lines.length)}>
          {count(lines.length - limit)} more lines
        </button>
      )}
    </div>
  );
}
