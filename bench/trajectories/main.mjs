// Recorded trajectories of real models: npm run bench:tokens -- --trajectories=FOLDER, with the checkouts of docs/token-benchmark.md.
import { join } from 'node:path';
import { openCheckout } from '../proof/sources.mjs';
import { number, table } from '../tokens/tables.mjs';
import { measure } from './measure.mjs';
import { cloneCommand, SETS } from './sets.mjs';

const COLUMNS = { cost: 'cost', warm: 'definitions cached', uncached: 'no cache' };
const compare = (part, whole) => `${part < whole ? '−' : '+'}${Math.abs(100 * (part / whole - 1)).toFixed(1)} %`;

/** Returns the figures of each set whose checkout is in the folder. A set without one has `missing`, the problem. */
export async function measureTrajectories(folder, scratch) {
  const found = [];
  for (const source of SETS) {
    const { isMissing, problem } = openCheckout(source, folder);
    if (problem !== undefined) console.error(`${source.title}: ${problem}: ${cloneCommand(source, folder)}`);
    const figures = isMissing ? { missing: problem } : await measure(source.read(join(folder, source.folder)), scratch);
    found.push({ title: source.title, ...figures });
  }
  return found;
}

/** Returns the table of all sets, and the savings of batching, for the page. */
export function trajectoryTables(sets) {
  const measured = sets.filter(({ missing }) => missing === undefined);
  const left = measured.flatMap(({ problems }) => problems).length;
  return [
    ...sets.filter(({ missing }) => missing !== undefined).map(({ title, missing }) => `${title}: ${missing}.`),
    table(
      [
        'way',
        ...measured.flatMap(({ title }) => [
          `${title}: turns`,
          'cost',
          ...Object.values(COLUMNS).map((name) => `${name} / S`),
        ]),
      ],
      measured[0].ways.map(({ name }) => [name, ...measured.flatMap(({ ways }) => cellsOf(ways, name))]),
    ),
    `${measured.map(({ title, trajectories, calls }) => `${title}: ${trajectories} trajectories, ${number(calls)} calls`).join('. ')}. Left out: ${left}.`,
    `With the signatures of tools that need a field of the result: ${shareOf(measured, ({ searches }) => [searches.needless, searches.all])} searches spared. With three more fields: ${shareOf(measured, ({ fields }) => [fields.covered, fields.later])} later reads.`,
  ].join('\n\n');
}

const shareOf = (sets, of) => sets.map(({ batching }) => of(batching).join(' of ')).join(' and ');

function cellsOf(ways, name) {
  const base = ways.find((way) => way.name === 'S');
  const way = ways.find((one) => one.name === name);
  const compared = Object.keys(COLUMNS).map((key) => (way === base ? '' : compare(way[key], base[key])));
  return [number(way.turns), number(way.cost), ...compared];
}
