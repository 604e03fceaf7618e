// Queries for which all equal tools of the catalog of LiveMCPBench were judged. Measures the tools that the text of an answer shows.
import { readFileSync } from 'node:fs';
import { answerSections, NAMES, SIGNATURES } from '../../packages/core/build/catalog/search/answer/answer.js';
import { TYPESCRIPT_WRITER } from '../../packages/core/build/catalog/signatures/typescript/writer.js';
import { hasCall, isShown } from '../tokens/arms/discovery.mjs';
import { halfOf } from './data.mjs';
import { experienceOf } from './learning.mjs';
import { mean, round } from './quality.mjs';

const SEEDS = [1, 2, 3];

/** Returns the judged queries with the ids of the tools that do the same for the query, and the half of each query. */
export const judgedQueries = () =>
  JSON.parse(readFileSync(new URL('judged.json', import.meta.url), 'utf8')).map(({ query, equal }) => ({
    ...{ query, equal, relevant: [equal] },
    half: halfOf(query),
  }));

/**
 * Returns the share of queries whose answer shows one of the equal tools: with a signature (`called`), or at least its name (`shown`). `equals`
 * is the share of all equal tools that are shown. Uses are of the other half.
 */
export async function judged(haystack) {
  const all = judgedQueries();
  const tuned = all.filter(({ half }) => half === 'tuned');
  const heldOut = all.filter(({ half }) => half === 'heldOut');
  const used = await Promise.all(SEEDS.map((seed) => experienceOf(haystack, tuned, 200, seed)));
  const runs = await Promise.all(used.map((experience) => shownShares(haystack, heldOut, experience)));
  const keys = Object.keys(runs[0]);
  return {
    tuned: await shownShares(haystack, tuned),
    unseen: await shownShares(haystack, heldOut),
    unseenAfter200Uses: Object.fromEntries(keys.map((key) => [key, round(mean(runs.map((run) => run[key])))])),
  };
}

async function shownShares({ index }, queries, experience) {
  const rows = [];
  for (const { query, equal } of queries) {
    const matches = index.search(query, { limit: SIGNATURES + NAMES, experience });
    const lines = await answerSections([{ query, matches }], { writer: TYPESCRIPT_WRITER, skills: [] });
    const text = lines.join('\n');
    const shown = equal.filter((id) => isShown({ finds: [id] }, text));
    rows.push({
      called: equal.some((id) => hasCall(id, text)),
      shown: shown.length > 0,
      equals: shown.length / equal.length,
    });
  }
  const share = (key) => round(mean(rows.map((row) => Number(row[key]))));
  return { queries: rows.length, called: share('called'), shown: share('shown'), equals: share('equals') };
}
