// Confidence intervals of 95 %. Runs of one task are no independent samples: each task is one, with the mean of its runs.

const Z = 1.96;

/** Returns the mean of all tasks, and half of its interval; no interval for less than two tasks. */
export function meanOf(runs) {
  const means = meansByTask(runs);
  const mean = average(means);
  if (means.length < 2) return { mean };
  const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
  return { mean, half: Z * Math.sqrt(variance / means.length) };
}

/** Returns the number of right runs, and the interval of their share by Wilson, with the tasks as samples. */
export function shareOf(runs) {
  const right = runs.filter(({ isRight }) => isRight).length;
  const means = meansByTask(runs.map(({ task, isRight }) => ({ task, value: isRight ? 1 : 0 })));
  const [share, count] = [average(means), means.length];
  const middle = (share + Z ** 2 / (2 * count)) / (1 + Z ** 2 / count);
  const half = (Z / (1 + Z ** 2 / count)) * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return { right, runs: runs.length, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function meansByTask(runs) {
  const byTask = new Map();
  for (const { task, value } of runs) byTask.set(task, [...(byTask.get(task) ?? []), value]);
  return [...byTask.values()].map(average);
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
