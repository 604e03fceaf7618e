// Markdown of the figures, and where it goes.
import { readFileSync, writeFileSync } from 'node:fs';
import { ARMS } from './arms/all.mjs';

const START = '<!-- tokens:start -->';
const END = '<!-- tokens:end -->';
const number = (value) => (value === undefined ? '–' : Math.round(value).toLocaleString('en-US'));
const percent = (part, whole) =>
  `${part < whole ? '−' : '+'}${Math.abs(100 * (1 - part / whole)).toFixed(part / whole < 0.1 ? 1 : 0)} %`;
const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) =>
  [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

/** One row for each stratum, for the README. */
export function shortTable({ costs }, size) {
  const rows = Object.entries(costs[size]).map(([stratum, by]) => [
    stratum,
    number(by['D-best']),
    number(by.S),
    number(by.C),
    percent(by.C, by['D-best']),
    percent(by.C, by.S),
    `${(by['C+err'] / by.C).toFixed(2)} ×`,
  ]);
  return table(
    [
      `${size} tools`,
      'direct at its best',
      'search + call',
      'code',
      'code beside direct',
      'beside search + call',
      'first program fails',
    ],
    rows,
  );
}

/** All tables, for the page. */
export function longTables(report) {
  const { costs, warm, places, points, breakEvenTokens, rows, goals } = report;
  const arms = Object.keys(ARMS);
  const byArm = (sums) => Object.entries(sums).map(([stratum, by]) => [stratum, ...arms.map((arm) => number(by[arm]))]);
  const largest = Math.max(...rows.map(({ size }) => size));
  const sizes = Object.keys(costs);
  const shown = sizes.includes('150') ? '150' : sizes[0];
  return [
    `Padding: ${report.padding}. Sandbox: ${report.sandbox}. Last run: ${report.seconds} s, ${rows.length} transcripts.`,
    '### Goals',
    table(
      ['goal', 'limit', 'measured', ''],
      goals.map(({ name, limit, value, reached }) => [name, limit, value, reached ? 'reached' : '**missed**']),
    ),
    '### What a model is shown before it works, in tokens',
    table(
      [
        'connected tools',
        'all definitions',
        'our core definitions',
        'our instructions',
        'a search answer: mean',
        'p95',
        'largest',
      ],
      places.map((place) => [
        place.size,
        number(place.allDefinitions),
        number(place.coreTokens),
        number(place.instructions),
        number(place.searchAnswers.mean),
        place.searchAnswers.p95,
        place.searchAnswers.max,
      ]),
    ),
    ...sizes.flatMap((size) => [
      `### Cost by stratum, ${number(Number(size))} tools`,
      table(['stratum', ...arms], byArm(costs[size])),
    ]),
    `### The same with definitions and instructions in the cache already, ${shown} tools`,
    table(['stratum', ...arms], byArm(warm[shown])),
    `### Each task, ${shown} tools`,
    table(['task', ...arms, 'misses of the first search (36 … most tools)'], tasksOf(rows, Number(shown), arms)),
    `### Where code with search spends its tokens, all tasks, ${shown} tools`,
    partsTable(rows, Number(shown), ['S', 'L', 'C', 'C+err']),
    '### From what size of a result on code costs less than search + call',
    table(
      ['tokens of the result', 'search + call', 'code', ''],
      points.map(({ resultTokens, S, C }) => [number(resultTokens), number(S), number(C), percent(C, S)]),
    ),
    `Both cost the same at about ${number(breakEvenTokens)} tokens. The largest catalog has ${number(largest)} tools.`,
  ].join('\n\n');
}

function tasksOf(rows, size, arms) {
  return [...new Set(rows.map(({ task }) => task))].map((task) => {
    const of = rows.filter((one) => one.task === task);
    const misses = of.filter(({ arm }) => arm === 'C').map(({ misses: count }) => count);
    return [
      task,
      ...arms.map((arm) => number(of.find((one) => one.size === size && one.arm === arm)?.cost)),
      misses.join(', '),
    ];
  });
}

function partsTable(rows, size, arms) {
  const parts = Object.keys(rows[0].parts);
  const cells = arms.map((arm) => {
    const of = rows.filter((one) => one.size === size && one.arm === arm);
    const sum = (pick) => number(of.reduce((total, one) => total + pick(one), 0));
    return [
      arm,
      ...parts.map((part) => sum((one) => one.parts[part])),
      sum(({ contextEnd }) => contextEnd),
      sum(({ input }) => input),
      sum(({ output }) => output),
      sum(({ turns }) => turns),
      sum(({ sandboxMs }) => sandboxMs),
    ];
  });
  return table(['arm', ...parts, 'context at end', 'input, no cache', 'output', 'turns', 'sandbox ms'], cells);
}

/** Puts text between the markers of a file. Raises when they are not there. */
export function writeBetween(path, text) {
  const whole = readFileSync(path, 'utf8');
  const [start, end] = [whole.indexOf(START), whole.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${path} has no ${START} … ${END}`);
  writeFileSync(path, `${whole.slice(0, start + START.length)}\n${text}\n${whole.slice(end)}`);
}
