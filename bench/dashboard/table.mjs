// The table of the results, as in docs/benchmarks.md.

const ms = (value) => `${Math.round(value)} ms`;
const both = ({ p50, p95 }) => `${Math.round(p50)} / ${ms(p95)}`;
const split = (found) => `${ms(found.ms)}: ${found.apiMs} + ${found.screenMs}; slowest ${ms(found.maxMs)}`;

const ROWS = {
  firstView: ({ ms: times, kB }) => [
    [
      'first view with 10,000 executions, empty cache, to the first rows, p50 / p95',
      both(times),
      '≤ 1,000 ms',
      times.p50 <= 1_000,
    ],
    ['loaded for it, compressed, with its data', `${kB} kB`, '≤ 350 kB', kB <= 350],
  ],
  list: listRow('10,000'),
  filters: filterRows('10,000'),
  listOfMost: listRow('100,000'),
  filtersOfMost: filterRows('100,000'),
  scroll: ({ load, back }) => [scrollRow('while pages load', load), scrollRow('through all of them', back)],
  latency: ({ perSecond, ms: times, maxMs, seen, ended }) => [
    [
      `from the end of an execution to its row, with ${perSecond} executions per second, p50 / p95`,
      `${both(times)}; slowest ${ms(maxMs)}; ${seen} of ${ended} were in the window`,
      '≤ 150 ms',
      times.p95 <= 150,
    ],
  ],
  streams: streamRows('without a sandbox'),
  streamsOfJail: streamRows('default sandbox'),
  lighthouse: ({ accessibility, bestPractices, failed }) => [
    [
      'Lighthouse, lowest of all screens: accessibility / best practices',
      `${accessibility} / ${bestPractices}${failed.length > 0 ? ` (${failed.join(', ')})` : ''}`,
      '≥ 95',
      Math.min(accessibility, bestPractices) >= 95,
    ],
  ],
};

function listRow(count) {
  return (found) => [
    [`${count} executions, from the menu to the list: API + screen`, split(found), '≤ 200 ms', found.ms <= 200],
  ];
}

function filterRows(count) {
  return (found) =>
    Object.entries(found).map(([name, each]) => [
      `${count} executions, filter by ${name}: API + screen`,
      split(each),
      '≤ 100 ms',
      each.ms <= 100,
    ]);
}

function scrollRow(when, { rows, seconds, longestTaskMs, longTasks, frameMs }) {
  return [
    `scrolling ${rows} rows ${when}: longest task`,
    `${ms(longestTaskMs)} (${longTasks} over 50 ms in ${seconds} s; frames ${frameMs.p50} / ${frameMs.p99} ms, p50 / p99)`,
    '≤ 100 ms',
    longestTaskMs <= 100,
  ];
}

function streamRows(server) {
  return ({ perSecond, cpuMs, throughputPercent, cpuPercent }) => [
    [
      `50 event streams, ${server}: executions per second without → with, median of the pairs`,
      `${perSecond.without} → ${perSecond.with} (${throughputPercent} %)`,
      '≥ − 5 %',
      throughputPercent >= -5,
    ],
    [
      `50 event streams, ${server}: processor time of the server per execution`,
      `${cpuMs.without} → ${cpuMs.with} ms (${cpuPercent} %)`,
      '≤ 5 %',
      cpuPercent <= 5,
    ],
  ];
}

/** Returns the results as a table in Markdown. A missed goal is marked. */
export function tableOf(results) {
  const rows = Object.entries(results).flatMap(([name, found]) => ROWS[name](found));
  const lines = rows.map(
    ([measure, result, goal, isMet]) => `| ${measure} | ${result} | ${goal}${isMet ? '' : ', **missed**'} |`,
  );
  return ['| measure | result | goal |', '|---|---|---|', ...lines].join('\n');
}
