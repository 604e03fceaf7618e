// Formats the figures as Markdown and writes them into a page.
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

/** Returns one row for each stratum: direct calling, search + call, and code with both profiles. */
function summaryTable(costs) {
  const rows = Object.entries(costs).map(([stratum, by]) => [
    stratum,
    ...['D-best', 'S', 'C-core', 'C-full'].map((arm) => number(by[arm])),
    ...['C-core', 'C-full'].flatMap((arm) => [percent(by[arm], by['D-best']), percent(by[arm], by.S)]),
    `${(by['C+err'] / by['C-core']).toFixed(2)} ×`,
  ]);
  const compared = ['C-core', 'C-full'].flatMap((arm) => [`${arm} / D-best`, `${arm} / S`]);
  return table(['stratum', 'D-best', 'S', 'C-core', 'C-full', ...compared, 'C+err / C-core'], rows);
}

/** Returns the tables of tokens that every conversation starts with, and of search answers. */
function setupTable(setups) {
  const head = [
    'connected tools',
    'all definitions',
    'definitions of full',
    'instructions of full',
    'definitions of core',
    'instructions of core',
  ];
  return table(
    [...head, 'a search answer: mean', 'p95', 'largest', 'structured content'],
    setups.map(({ size, allDefinitions, full, core, searchAnswers: { mean, p95, max }, beside }) => [
      size,
      ...[allDefinitions, full.definitions, full.instructions, core.definitions, core.instructions, mean].map(number),
      p95,
      max,
      beside,
    ]),
  );
}

/** Returns all tables, for the page. */
export function tablesOf(report) {
  const { costs, warm, setups, points, breakEvenTokens, rows, goals } = report;
  const arms = Object.keys(ARMS);
  const byArm = (sums) => Object.entries(sums).map(([stratum, by]) => [stratum, ...arms.map((arm) => number(by[arm]))]);
  const largest = Math.max(...rows.map(({ size }) => size));
  const sizes = Object.keys(costs);
  const shown = sizes.includes('150') ? '150' : sizes[0];
  const bySize = (sums, title) =>
    sizes.flatMap((size) => [
      `### ${title}, ${number(Number(size))} tools`,
      table(['stratum', ...arms], byArm(sums[size])),
    ]);
  return [
    `Padding: ${report.padding}. Sandbox: ${report.sandbox}. Last run: ${report.seconds} s, ${rows.length} transcripts.`,
    `### Summary, ${shown} tools`,
    summaryTable(costs[shown]),
    `### Summary with cached definitions and instructions, ${shown} tools`,
    summaryTable(warm[shown]),
    '### Goals',
    table(
      ['goal', 'limit', 'measured', ''],
      goals.map(({ name, limit, value, reached }) => [name, limit, value, reached ? 'reached' : '**missed**']),
    ),
    '### Tokens shown to a model before its first action',
    setupTable(setups),
    ...bySize(costs, 'Cost by stratum'),
    ...bySize(warm, 'Cost by stratum with cached definitions and instructions'),
    `### Cost by task, ${shown} tools`,
    table(['task', ...arms, 'misses of the first search, by size'], tasksOf(rows, Number(shown), arms)),
    `### Tokens by purpose, all tasks, ${shown} tools`,
    partsTable(rows, Number(shown), ['S', 'C-full', 'C-core', 'C+err']),
    '### Cost by size of the result',
    table(
      ['tokens of the result', 'S', 'C-core', ''],
      points.map(({ resultTokens, S, C }) => [number(resultTokens), number(S), number(C), percent(C, S)]),
    ),
    `Both cost the same at about ${number(breakEvenTokens)} tokens. The largest catalog has ${number(largest)} tools.`,
  ].join('\n\n');
}

function tasksOf(rows, size, arms) {
  return [...new Set(rows.map(({ task }) => task))].map((task) => {
    const of = rows.filter((one) => one.task === task);
    const misses = of.filter(({ arm }) => arm === 'C-core').map(({ misses: count }) => count);
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
      sum(({ programMs }) => programMs),
    ];
  });
  return table(['arm', ...parts, 'context at end', 'input, no cache', 'output', 'turns', 'program ms'], cells);
}

/** Writes text between the markers of a file. Raises an error if they are missing. */
export function writeBetween(path, text) {
  const whole = readFileSync(path, 'utf8');
  const [start, end] = [whole.indexOf(START), whole.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${path} has no ${START} … ${END}`);
  writeFileSync(path, `${whole.slice(0, start + START.length)}\n${text}\n${whole.slice(end)}`);
}
