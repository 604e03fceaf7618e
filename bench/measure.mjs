// What the benchmarks share: percentiles, process memory, and one way to print.
import { readdirSync, readFileSync } from 'node:fs';

export const round = (value, digits = 2) => Number(value.toFixed(digits));

/** p50 and p95 of milliseconds. */
export function percentiles(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN, 3);
  return { p50: at(0.5), p95: at(0.95) };
}

/** Runs `task` and gives its milliseconds. */
export async function time(task) {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

/** The median of several timings of `task`, with a pause before each that is not timed. */
export async function median(times, task, pauseMs = 0) {
  const samples = [];
  for (let run = 0; run < times; run++) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    samples.push(await time(() => task(run)));
  }
  return percentiles(samples).p50;
}

/** Memory of our child processes whose command line holds `marker`, in MB; undefined where /proc is missing. */
export function childMemory(marker) {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker))
      .map((pid) => {
        const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
        const megabytes = (field) =>
          round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024, 1);
        return { rss: megabytes('Rss'), pss: megabytes('Pss') };
      });
  } catch {
    return undefined;
  }
}
