// Helpers of the benchmarks: timing, percentiles and process memory.
import { readdirSync, readFileSync } from 'node:fs';

export const round = (value, digits = 2) => Number(value.toFixed(digits));

/** Returns p50 and p95 of samples in milliseconds. */
export function percentiles(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN, 3);
  return { p50: at(0.5), p95: at(0.95) };
}

/** Runs `task` and returns its milliseconds. */
export async function time(task) {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

/** Returns the median of several timings of `task`. The pause before each is not included. */
export async function median(times, task, pauseMs = 0) {
  const samples = [];
  for (let run = 0; run < times; run++) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    samples.push(await time(() => task(run)));
  }
  return percentiles(samples).p50;
}

/** Returns the memory of processes whose command line contains `marker`, in MB; undefined without /proc. */
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
