// Measures of the quality of search results. A search is a function of a query and a limit that returns ids.
const DEPTH = 50;

export const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const round = (value) => Math.round(value * 1_000) / 1_000;

/** Measures the share of the needed tools among the first hits, and the time of a query. */
export function quality(search, set) {
  const sums = { recall1: 0, recall5: 0, recall10: 0, mrr: 0 };
  const times = [];
  for (const { query, relevant } of set) {
    const start = performance.now();
    const found = search(query, DEPTH);
    times.push(performance.now() - start);
    const recall = (top) =>
      relevant.filter((alternatives) => alternatives.some((id) => found.slice(0, top).includes(id))).length /
      relevant.length;
    sums.recall1 += recall(1);
    sums.recall5 += recall(5);
    sums.recall10 += recall(10);
    const rank = found.findIndex((id) => relevant.some((alternatives) => alternatives.includes(id)));
    sums.mrr += rank < 0 ? 0 : 1 / (rank + 1);
  }
  const means = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, round(sum / set.length)]));
  return { queries: set.length, ...means, p50Ms: round(percentile(times, 0.5)), p99Ms: round(percentile(times, 0.99)) };
}

/**
 * Measures real queries of agents: the share of tools that all queries of a task find, and the share of queries
 * that find any tool. The set has about half of the queries of each task, so an agent would reach a higher first share.
 */
export function agentRecall(search, set, limit) {
  const tasks = new Map();
  for (const entry of set) tasks.set(entry.task, [...(tasks.get(entry.task) ?? []), entry]);
  const unions = [];
  const hits = [];
  for (const entries of tasks.values()) {
    const { relevant } = entries[0];
    const answers = entries.map(({ query }) => search(query, limit));
    const share = (ids) => relevant.filter((alternatives) => alternatives.some((id) => ids.includes(id))).length;
    unions.push(share(answers.flat()) / relevant.length);
    hits.push(...answers.map((ids) => (share(ids) > 0 ? 1 : 0)));
  }
  return { unionRecall: round(mean(unions)), queryHit: round(mean(hits)) };
}
