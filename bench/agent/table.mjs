// The table of a run of the agent benchmark.
import { meanOf, shareOf } from './intervals.mjs';
import { WAYS } from './ways.mjs';

const FIGURES = {
  turns: ({ turns }) => turns,
  inputTokens: ({ inputTokens }) => inputTokens,
  cachedTokens: ({ cachedTokens }) => cachedTokens,
  outputTokens: ({ outputTokens }) => outputTokens,
  dollars: ({ dollars }) => dollars,
  seconds: ({ modelMs, toolMs }) => (modelMs + toolMs) / 1_000,
};

/** Returns one row per way: the successes, the means of all its runs, and the 95 % confidence interval of each. */
export function summary(runs) {
  return Object.keys(WAYS)
    .map((way) => ({ way, all: runs.filter((run) => run.way === way) }))
    .filter(({ all }) => all.length > 0)
    .map(({ way, all }) => ({
      way,
      succeeded: shareOf(all.map((run) => ({ task: run.task, isRight: run.problem === undefined }))),
      ...Object.fromEntries(
        Object.entries(FIGURES).map(([name, of]) => [
          name,
          meanOf(all.map((run) => ({ task: run.task, value: of(run) }))),
        ]),
      ),
    }));
}

/** Returns the table as Markdown. */
export function tableOf({ model, size, sandbox }, runs) {
  const rows = summary(runs).map(({ way, succeeded, dollars, turns, seconds, ...counts }) => [
    WAYS[way].title,
    `${succeeded.right} of ${succeeded.runs} (${percent(succeeded.low)} to ${percent(succeeded.high)})`,
    shown(turns, (value) => value.toFixed(1)),
    ...[counts.inputTokens, counts.cachedTokens, counts.outputTokens].map((count) => shown(count, whole)),
    dollars.mean === 0 ? 'unknown' : shown(dollars, (value) => value.toFixed(4)),
    shown(seconds, (value) => value.toFixed(1)),
  ]);
  const head = ['way', 'succeeded', 'turns', 'input tokens', 'from the cache', 'output tokens', 'dollars', 'seconds'];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
  const total = runs.reduce((sum, { dollars }) => sum + dollars, 0);
  const cost = total === 0 ? '' : ` All runs cost ${total.toFixed(2)} dollars.`;
  return `Model: ${model}. ${size} tools, sandbox ${sandbox}. Means per run, with intervals of 95 %.${cost}\n\n${table}`;
}

const percent = (share) => `${(share * 100).toFixed(0)} %`;
const whole = (count) => Math.round(count).toLocaleString('en-US');
const shown = ({ mean, half }, write) => (half === undefined ? write(mean) : `${write(mean)} ± ${write(half)}`);
