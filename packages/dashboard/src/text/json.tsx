import { type ReactNode, useState } from 'react';
import { count } from './format.ts';
import { Text } from './text.tsx';

const MAX_CHILDREN = 100;
const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 20;
const MAX_DEPTH = 60;

interface JsonProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}

/** Shows JSON data as a tree whose parts can be closed. Texts of it are shown by {@link Text}. */
export function Json({ value, name, depth = 0 }: JsonProps): ReactNode {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH)
    return (
      <div className="code pl-4">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  if (entries.length === 0)
    return (
      <div className="code pl-4">
        <Name name={name} />
        {Array.isArray(value) ? '[]' : '{}'}
      </div>
    );
  return <Branch name={name} depth={depth} entries={entries} isList={Array.isArray(value)} />;
}

interface BranchProps {
  readonly name: string | undefined;
  readonly depth: number;
  readonly entries: readonly (readonly [string, unknown])[];
  readonly isList: boolean;
}

function Branch({ name, depth, entries, isList }: BranchProps): ReactNode {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= OPEN_CHILDREN);
  const [limit, setLimit] = useState(MAX_CHILDREN);
  const size = `${count(entries.length)} ${isList ? 'items' : 'fields'}`;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="code">
      <summary className="cursor-pointer">
        <Name name={name} />
        <span className="text-muted">
          {isList ? '[' : '{'}
          {isOpen ? '' : ` ${size} ${isList ? ']' : '}'}`}
        </span>
      </summary>
      {isOpen && (
        <div className="ml-1 border-l border-line pl-2">
          {entries.slice(0, limit).map(([key, child]) => (
            <Json key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > limit && (
            <button
              type="button"
              className="ml-4 cursor-pointer text-link underline"
              onClick={() => setLimit(limit * 10)}
            >
              {count(entries.length - limit)} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { readonly name: string | undefined }): ReactNode {
  if (name === undefined) return null;
  return (
    <span className="text-muted">
      <Text value={name} limit={120} />:{' '}
    </span>
  );
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value === 'string')
    return (
      <span className="whitespace-pre-wrap tok-string">
        "<Text value={value} />"
      </span>
    );
  return <span className="tok-number">{value === undefined ? 'none' : String(value)}</span>;
}
