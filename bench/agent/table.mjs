// The table of a run of the agent benchmark.
import { WAYS } from './ways.mjs';

/** Returns one row per way: successes, and the means of all its runs. */
export function summary(runs) {
  return Object.keys(WAYS)
    .map((way) => ({ way, all: runs.filter((run) => run.way === way) }))
    .filter(({ all }) => all.length > 0)
    .map(({ way, all }) => ({
      way,
      runs: all.length,
      succeeded: all.filter(({ problem }) => problem === undefined).length,
      turns: mean(all, ({ turns }) => turns),
      inputTokens: mean(all, ({ inputTokens }) => inputTokens),
      cachedTokens: mean(all, ({ cachedTokens }) => cachedTokens),
      outputTokens: mean(all, ({ outputTokens }) => outputTokens),
      dollars: mean(all, ({ dollars }) => dollars),
      seconds: mean(all, ({ modelMs, toolMs }) => (modelMs + toolMs) / 1_000),
    }));
}

/** Returns the table as Markdown. */
export function tableOf({ model, size, sandbox }, runs) {
  const rows = summary(runs).map((row) => [
    WAYS[row.way].title,
    `${row.succeeded} of ${row.runs}`,
    row.turns.toFixed(1),
    ...[row.inputTokens, row.cachedTokens, row.outputTokens].map((count) => Math.round(count).toLocaleString('en-US')),
    row.dollars === 0 ? 'unknown' : row.dollars.toFixed(4),
    row.seconds.toFixed(1),
  ]);
  const head = ['way', 'succeeded', 'turns', 'input tokens', 'from the cache', 'output tokens', 'dollars', 'seconds'];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
  return `Model: ${model}. ${size} tools, sandbox ${sandbox}. Means per task.\n\n${table}`;
}

function mean(all, of) {
  return all.reduce((sum, run) => sum + of(run), 0) / all.length;
}
