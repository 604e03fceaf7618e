import { type ReactNode, useState } from 'react';
import { count } from './format.ts';
import { Text } from './text.tsx';

const MAX_CHILDREN = 100;
const OPEN_DEPTH = 2;
const OPEN_CHILDREN = 20;
const MAX_DEPTH = 60;
/** A value of at most so many lines is open as a whole: a person reads it before a decision. */
const MAX_OPEN_LINES = 30;
/** Characters of a text before "more". */
const MAX_SHOWN_CHARACTERS = 1_000;

interface JsonProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
  /** Whether all parts are open. Default: for a value of few lines. */
  readonly isOpen?: boolean;
}

/** Shows JSON data as a tree whose parts can be closed. Texts of it are shown by {@link Text}. */
export function Json({ value, name, depth = 0, isOpen = isShort(value) }: JsonProps): ReactNode {
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
  return <Branch name={name} depth={depth} entries={entries} isList={Array.isArray(value)} isWhole={isOpen} />;
}

interface BranchProps {
  readonly name: string | undefined;
  readonly depth: number;
  readonly entries: readonly (readonly [string, unknown])[];
  readonly isList: boolean;
  readonly isWhole: boolean;
}

/** Returns whether a value has few lines. */
function isShort(value: unknown): boolean {
  let lines = 0;
  const visit = (part: unknown): void => {
    lines += 1;
    if (lines <= MAX_OPEN_LINES && typeof part === 'object' && part !== null) Object.values(part).forEach(visit);
  };
  visit(value);
  return lines <= MAX_OPEN_LINES;
}

function Branch({ name, depth, entries, isList, isWhole }: BranchProps): ReactNode {
  const [isOpen, setOpen] = useState(isWhole || (depth < OPEN_DEPTH && entries.length <= OPEN_CHILDREN));
  const [limit, setLimit] = useState(MAX_CHILDREN);
  const size = `${count(entries.length)} ${isList ? 'item' : 'field'}${entries.length === 1 ? '' : 's'}`;
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
            <Json key={key} name={key} value={child} depth={depth + 1} isOpen={isWhole} />
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
        "<Text value={value} limit={MAX_SHOWN_CHARACTERS} cutsMiddle />"
      </span>
    );
  return <span className="tok-number">{value === undefined ? 'none' : String(value)}</span>;
}
