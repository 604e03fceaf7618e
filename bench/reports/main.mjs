// Runs the behaviour of public bug reports in Toolwright and in the code modes of others: `npm run bench:reports`, or
// `npm run bench:reports -- utcp` for some. Prints a table, and each wrong answer.
import { fileURLToPath } from 'node:url';
import { installPeer, PEERS } from '../peers/peers.mjs';
import { runApart } from '../peers/run-apart.mjs';
import { CASES } from './cases.mjs';

const LIMIT_MS = 40_000;
const MAX_CHARACTERS = 160;
const MAX_STUCK = 2;
const STUCK = 'no answer';
const CASE = fileURLToPath(new URL('case.mjs', import.meta.url));
const words = process.argv.slice(2);
const isChosen = ({ title, adapter }) =>
  adapter !== 'direct' && (words.length === 0 || words.some((word) => title.includes(word)));
const peers = PEERS.filter(isChosen).map((peer) => ({ ...peer, installed: installPeer(peer) }));

/** Returns `right`, or what happened in place of it. */
function run({ adapter, settings = {}, installed: { folder, node } }, name) {
  const args = [CASE, adapter, JSON.stringify({ ...settings, folder }), name];
  const { answer, stderr, signal } = runApart(node, args, LIMIT_MS);
  if (answer !== undefined) return answer.verdict;
  return signal ? STUCK : `its process ended: ${stderr.trim().split('\n').at(-1)}`;
}

const cellOf = (verdict) =>
  verdict === 'right' ? 'right' : verdict.startsWith('WRONG') ? '**wrong**' : /^[\w ]+/.exec(verdict)[0];

/** Returns the verdicts of a peer. One that gives no answer at first is not asked again. */
function runAll(peer) {
  const verdicts = [];
  for (const name of Object.keys(CASES)) {
    console.error(`${peer.title}: ${name}`);
    const isStuck = verdicts.length >= MAX_STUCK && verdicts.every((verdict) => verdict === STUCK);
    verdicts.push(isStuck ? STUCK : run(peer, name));
  }
  return verdicts;
}

const columns = peers.map(runAll);
const found = Object.keys(CASES).map((name, row) => ({ name, verdicts: columns.map((column) => column[row]) }));
console.log(`| | ${peers.map(({ title }) => title).join(' | ')} |\n|---|${'---|'.repeat(peers.length)}`);
for (const { name, verdicts } of found) console.log(`| ${name} | ${verdicts.map(cellOf).join(' | ')} |`);
const rightOf = (index) => found.filter(({ verdicts }) => verdicts[index] === 'right').length;
console.log(`| **right of ${found.length}** | ${peers.map((_, index) => rightOf(index)).join(' | ')} |\n`);
for (const { name, verdicts } of found)
  for (const [index, verdict] of verdicts.entries())
    if (verdict !== 'right')
      console.log(`- ${name}, ${peers[index].title}: ${verdict.replaceAll('\n', ' ').slice(0, MAX_CHARACTERS)}`);
