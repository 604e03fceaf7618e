import { type ReactNode, useId, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { count } from '../../text/format.ts';
import { Json } from '../../text/json.tsx';
import { Text } from '../../text/text.tsx';
import type { Choice } from '../answers/choice.ts';
import { keyOf } from '../open-questions.ts';

interface BatchDialogProps {
  readonly choice: Choice;
  readonly close: () => void;
  readonly act: (choice: Choice) => void;
}

/** The arguments of several calls: the values that all of them share, and those that differ. */
interface Differences {
  /** Values that all calls have, by path. */
  readonly same: Readonly<Record<string, unknown>>;
  /** Paths whose values differ, in the order of their first use. */
  readonly paths: readonly string[];
  /** The differing values of each call, by path. */
  readonly rows: readonly ReadonlyMap<string, unknown>[];
}

/** More columns are no table that a person reads. */
const MAX_PATHS = 6;

/** Asks before a decision about several questions, and lists them with their arguments. */
export function BatchDialog({ choice, close, act }: BatchDialogProps): ReactNode {
  const [note, setNote] = useState('');
  const field = useId();
  const { action, items } = choice;
  const name = action === 'approve' ? 'Approve' : 'Deny';
  const calls = items.length === 1 ? '1 call' : `${count(items.length)} calls`;
  return (
    <Dialog
      wide
      isOpen
      title={`${name} ${calls}?`}
      description="Each of these calls is decided as it is shown here. One that has changed since stays open."
      setOpen={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      <BatchTable items={items} />
      <ul className="max-h-[45vh] overflow-auto rounded-md border border-line" tabIndex={0} aria-label="Calls">
        {items.map((item) => (
          <li
            key={keyOf(item)}
            className="border-b border-line p-2 [contain-intrinsic-size:auto_5rem] [content-visibility:auto]"
          >
            <Text value={item.tool} className="code font-semibold" limit={80} />{' '}
            <span className="text-muted">
              for <Text value={item.userId} limit={60} />, call {item.call} of {item.executionId.slice(0, 8)}
            </span>
            <Json value={item.arguments} />
          </li>
        ))}
      </ul>
      <label htmlFor={field} className="text-muted">
        Reason, for the programs (optional)
      </label>
      <input id={field} value={note} maxLength={4_000} onChange={(event) => setNote(event.target.value)} />
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={close}>
          Back
        </button>
        <button
          type="button"
          className={action === 'approve' ? 'button button-main' : 'button button-bad'}
          onClick={() => {
            act({ ...choice, note });
            close();
          }}
        >
          {name} {calls}
        </button>
      </div>
    </Dialog>
  );
}

/** The values in which calls of one tool differ, as a table. The list below has the complete arguments. */
function BatchTable({ items }: { readonly items: Choice['items'] }): ReactNode {
  const [first] = items;
  if (first === undefined || items.some(({ tool }) => tool !== first.tool)) return null;
  const differences = differencesOf(items.map((item) => item.arguments));
  if (differences === undefined || differences.paths.length === 0) return null;
  const { paths, rows, same } = differences;
  return (
    <section aria-label="Differences" className="max-h-[30vh] overflow-auto">
      <table className="code w-full text-left">
        <thead>
          <tr>
            {paths.map((path) => (
              <th key={path} scope="col" className="pr-3">
                <Text value={path} limit={80} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(items[index] ?? first)} className="border-t border-line align-top">
              {paths.map((path) => (
                <td key={path} className="pr-3">
                  {row.has(path) ? <Text value={JSON.stringify(row.get(path))} limit={200} /> : <span>none</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {Object.keys(same).length > 0 && (
        <details>
          <summary className="cursor-pointer text-muted">The same in all calls</summary>
          <Json value={same} />
        </details>
      )}
    </section>
  );
}

/** Compares the arguments of calls of one tool. Undefined where too many values differ for a table. */
export function differencesOf(calls: readonly unknown[]): Differences | undefined {
  if (calls.length < 2) return undefined;
  const leaves = calls.map((call) => new Map(leavesOf(call, '')));
  const all = [...new Set(leaves.flatMap((call) => [...call.keys()]))];
  const isSame = (path: string) => {
    const [first] = leaves;
    return leaves.every(
      (call) => call.has(path) && JSON.stringify(call.get(path)) === JSON.stringify(first?.get(path)),
    );
  };
  const paths = all.filter((path) => !isSame(path));
  if (paths.length > MAX_PATHS) return undefined;
  const same = Object.fromEntries(all.filter(isSame).map((path) => [path, leaves[0]?.get(path)]));
  const rows = leaves.map((call) => new Map([...call].filter(([path]) => paths.includes(path))));
  return { same, paths, rows };
}

function leavesOf(value: unknown, path: string): [string, unknown][] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, value]];
  const isList = Array.isArray(value);
  return entries.flatMap(([key, child]) =>
    leavesOf(child, isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
  );
}
