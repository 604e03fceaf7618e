import type { Experience, WeightedTerm } from '../search/experience.ts';
import type { UsageRecord } from './record.ts';

/** How much earlier calls count, chosen by cross-validation on half of the tuning sets. `bench/search.mjs` measures the other half. */
const TUNING = {
  /** Weight of a learned word, compared with a word of the tool itself, and the count of half of it. */
  word: 0.7,
  wordHalf: 1,
  /** The highest bonuses of a tool in use, of its server, and of a server with all words of the query. */
  tool: 0.3,
  toolHalf: 3,
  server: 0.3,
  serverHalf: 8,
  serverWords: 0.5,
};

interface TaughtTool {
  readonly id: string;
  readonly server: string;
  readonly count: number;
}

/**
 * Creates the experience of a user: from the user's own record, and from the words that several users taught. The latter count
 * only if a tool of the catalog contains them.
 */
export function createExperience(own: UsageRecord, shared: UsageRecord): Experience {
  const ownWords = wordsOf(own);
  const sharedWords = wordsOf(shared);
  const uses = new Map<string, number>();
  const serverUses = new Map<string, number>();
  for (const record of [own, shared]) {
    for (const [id, use] of record) {
      uses.set(id, (uses.get(id) ?? 0) + use.uses);
      serverUses.set(use.server, (serverUses.get(use.server) ?? 0) + use.uses);
    }
  }
  const tools = uses.size;
  const taughtBy = ({ term, isInCatalog }: WeightedTerm): readonly TaughtTool[] => [
    ...(ownWords.get(term) ?? []),
    ...(isInCatalog ? (sharedWords.get(term) ?? []) : []),
  ];

  return (terms) => {
    const added = new Map<string, number>();
    const serverScores = new Map<string, number>();
    let possible = 0;
    for (const term of terms) {
      const byTool = sumOf(taughtBy(term), ({ id }) => id);
      const byServer = sumOf(taughtBy(term), ({ server }) => server);
      // A word that led to many different tools distinguishes none.
      const specific = Math.log(1 + (tools - byTool.size + 0.5) / (byTool.size + 0.5));
      const weight = term.weight * Math.sqrt(term.rarity * specific);
      possible += weight;
      for (const [id, count] of byTool) {
        addTo(added, id, TUNING.word * weight * saturated(count, TUNING.wordHalf));
      }
      for (const [server, count] of byServer) addTo(serverScores, server, weight * saturated(count, TUNING.wordHalf));
    }
    return {
      added,
      factor: ({ id, server }) =>
        1 +
        TUNING.tool * saturated(uses.get(id), TUNING.toolHalf) +
        TUNING.server * saturated(serverUses.get(server), TUNING.serverHalf) +
        (possible > 0 ? (TUNING.serverWords * (serverScores.get(server) ?? 0)) / possible : 0),
    };
  };
}

function wordsOf(record: UsageRecord): Map<string, TaughtTool[]> {
  const byTerm = new Map<string, TaughtTool[]>();
  for (const [id, { server, words }] of record) {
    for (const [term, count] of words) {
      const taught = byTerm.get(term) ?? [];
      if (taught.length === 0) byTerm.set(term, taught);
      taught.push({ id, server, count });
    }
  }
  return byTerm;
}

function sumOf(taught: readonly TaughtTool[], keyOf: (tool: TaughtTool) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const tool of taught) addTo(sums, keyOf(tool), tool.count);
  return sums;
}

function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** Returns the share of a count: 0.5 at `half`, below 1 for any count. */
function saturated(count: number | undefined, half: number): number {
  return count === undefined ? 0 : count / (count + half);
}
