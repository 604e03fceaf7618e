import type { ReactNode } from 'react';
import { count, duration } from '../text/format.ts';

/** A table of names with numbers, the largest ones first. */
export function Ranking({
  title,
  head,
  children,
}: {
  readonly title: string;
  readonly head: readonly string[];
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section aria-label={title} className="panel overflow-x-auto p-3">
      <h2>{title}</h2>
      <table className="mt-1 w-full">
        <thead>
          <tr className="text-left text-xs text-muted">
            {head.map((name, index) => (
              <th key={name} scope="col" className={`py-1 font-normal ${index > 0 ? 'w-24 text-right' : ''}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** A row of a ranking. The last number is the one to look at. */
export function Row({
  times = [],
  numbers,
  isBad = false,
  children,
}: {
  /** Milliseconds, before the numbers. */
  readonly times?: readonly (number | undefined)[];
  readonly numbers: readonly number[];
  readonly isBad?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pr-2 text-left font-normal">
        {children}
      </th>
      {times.map((ms, index) => (
        <td key={`time ${index}`} className="text-right">
          {ms === undefined ? '–' : duration(ms)}
        </td>
      ))}
      {numbers.map((number, index) => (
        <td key={index} className={`text-right ${isBad && index === numbers.length - 1 ? 'text-bad' : ''}`}>
          {count(number)}
        </td>
      ))}
    </tr>
  );
}
