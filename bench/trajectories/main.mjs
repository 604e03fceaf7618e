// Recorded trajectories of real models: npm run bench:tokens -- --trajectories=FOLDER, with the checkouts of docs/token-benchmark.md.
import { join } from 'node:path';
import { openCheckout } from '../proof/sources.mjs';
import { number, table } from '../tokens/tables.mjs';
import { measure } from './measure.mjs';
import { SETS } from './sets.mjs';

const COLUMNS = { cost: 'cost', warm: 'definitions cached', uncached: 'no cache' };
const compare = (part, whole) => `${part < whole ? '−' : '+'}${Math.abs(100 * (part / whole - 1)).toFixed(1)} %`;

/** Returns the figures of each set whose checkout is in the folder. A set without one has `missing`, the problem. */
export async function measureTrajectories(folder, scratch) {
  const found = [];
  for (const source of SETS) {
    const { isMissing, problem } = openCheckout(source, folder);
    if (problem !== undefined) console.error(`${source.title}: ${problem}`);
    const figures = isMissing ? { missing: problem } : await measure(source.read(join(folder, source.folder)), scratch);
    found.push({ title: source.title, ...figures });
  }
  return found;
}

/** Returns the tables of all sets, for the page. */
export function trajectoryTables(sets) {
  return sets
    .map((set) => (set.missing ? `### ${set.title}\n\nNot measured: ${set.missing}` : tableOf(set)))
    .join('\n\n');
}

function tableOf({ title, trajectories, calls, problems, ways }) {
  const base = ways.find(({ name }) => name.endsWith('(S)'));
  const compared = (way) => Object.keys(COLUMNS).map((key) => (way === base ? '' : compare(way[key], base[key])));
  const left = problems.length === 0 ? '' : ` Left out: ${problems.length}.`;
  return [
    `### ${title}`,
    `${trajectories} trajectories, ${number(calls)} calls.${left}`,
    table(
      ['way', 'cost', ...Object.values(COLUMNS).map((name) => `${name} / S`), 'turns'],
      ways.map((way) => [way.name, number(way.cost), ...compared(way), number(way.turns)]),
    ),
  ].join('\n\n');
}
