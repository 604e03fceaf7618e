// Formats the figures as Markdown and writes them into a page.
import { readFileSync, writeFileSync } from 'node:fs';
import { ARMS } from './arms/all.mjs';

export const number = (value) => (value === undefined ? '–' : Math.round(value).toLocaleString('en-US'));
const percent = (part, whole) =>
  `${part < whole ? '−' : '+'}${Math.abs(100 * (1 - part / whole)).toFixed(part / whole < 0.1 ? 1 : 0)} %`;
const row = (cells) => `| ${cells.join(' | ')} |`;
export const table = (head, rows) =>
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
  const largest = Math.max(...rows.map(({ size }) => size));
  const shown = '150' in costs ? '150' : Object.keys(costs)[0];
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
    '### Cost by catalog',
    table(
      ['connected tools', 'definitions', ...arms],
      Object.keys(costs).flatMap((size) => [
        [number(Number(size)), 'not cached', ...arms.map((arm) => number(costs[size].all[arm]))],
        [number(Number(size)), 'cached', ...arms.map((arm) => number(warm[size].all[arm]))],
      ]),
    ),
    `### Tasks that cost more with C-core than with S, ${shown} tools`,
    table(['task', 'S', 'C-core', ''], losingTasks(rows, Number(shown))),
    '### Cost by size of the result',
    table(
      ['tokens of the result', 'S', 'C-core', ''],
      points.map(({ resultTokens, S, C }) => [number(resultTokens), number(S), number(C), percent(C, S)]),
    ),
    `Both cost the same at about ${number(breakEvenTokens)} tokens. The largest catalog has ${number(largest)} tools. ${missesOf(rows, largest)}`,
  ].join('\n\n');
}

function missesOf(rows, size) {
  const missed = rows.filter((one) => one.arm === 'C-core' && one.size === size && one.misses > 0);
  return `There, the first search missed a tool in ${missed.length} tasks.`;
}

function losingTasks(rows, size) {
  const at = rows.filter((one) => one.size === size);
  return [...new Set(at.map(({ task }) => task))].flatMap((task) => {
    const [S, C] = ['S', 'C-core'].map((arm) => at.find((one) => one.task === task && one.arm === arm)?.cost);
    return C > S ? [[task, number(S), number(C), percent(C, S)]] : [];
  });
}

/** Writes text between the markers of a part of a file. Raises an error if they are missing. */
export function writeBetween(path, text, part) {
  const [first, last] = [`<!-- ${part}:start -->`, `<!-- ${part}:end -->`];
  const whole = readFileSync(path, 'utf8');
  const [start, end] = [whole.indexOf(first), whole.indexOf(last)];
  if (start < 0 || end < start) throw new Error(`${path} has no ${first} … ${last}`);
  writeFileSync(path, `${whole.slice(0, start + first.length)}\n${text}\n${whole.slice(end)}`);
}
