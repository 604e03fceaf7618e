import { expect } from 'vitest';

/** One line of the report: a measured figure, its bound, and whether it holds. */
export interface Figure {
  readonly name: string;
  readonly value: string | number;
  readonly bound: string;
  readonly holds: boolean;
}

/** Returns a figure that must not exceed its bound. */
export function atMost(name: string, value: number, most: number, unit = ''): Figure {
  const text = (number: number) => `${Math.round(number * 10) / 10}${unit}`;
  return { name, value: text(value), bound: `≤ ${text(most)}`, holds: value <= most };
}

/** Returns a figure for information. */
export function shown(name: string, value: string | number): Figure {
  return { name, value, bound: '', holds: true };
}

/** Returns the figures as a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, bound, holds }) => [
    name,
    value,
    bound,
    bound === '' ? '' : holds ? 'yes' : 'NO',
  ]);
  const head = ['figure', 'measured', 'bound', 'holds'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Prints the table. Raises an error with the broken bounds, and prints `details` of them. */
export function finish(title: string, figures: readonly Figure[], details: () => string = () => ''): void {
  console.log(`\n${title}\n\n${tableOf(figures)}\n`);
  const broken = figures.filter(({ holds }) => !holds);
  if (broken.length > 0) console.log(details());
  expect(broken).toEqual([]);
}
