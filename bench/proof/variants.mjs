// The variants in which each task is run, and the faults.
import { createHash } from 'node:crypto';
import { PEERS } from '../peers/peers.mjs';
import { seededRandom } from '../tokens/random.mjs';

const RUNNERS = [
  ['quickjs', 'typescript'],
  ['jail', 'typescript'],
  ['jail', 'python'],
  ['pyodide', 'python'],
];
export const FAULTS = ['none', 'late', 'twice', 'session', 'restart', 'kill'];

/** All variants: sandboxes with their languages × redaction × faults. */
const VARIANTS = RUNNERS.flatMap(([sandbox, language]) =>
  [true, false].flatMap((redaction) => FAULTS.map((fault) => ({ sandbox, language, redaction, fault }))),
);
const QUICK = ['quickjs, redacted', 'redacted, no fault'];

const wordsOf = ({ sandbox, language, redaction, fault }) => [
  sandbox,
  language,
  redaction ? 'redacted' : 'plain',
  fault === 'none' ? 'no fault' : fault,
];

export const titleOf = (variant) => (variant.peer ? peerTitle(variant) : wordsOf(variant).join(', '));
const peerTitle = ({ peer, fault }) => `${peer.title}, ${fault === 'none' ? 'no fault' : 'kill and run again'}`;

/** Returns the variants of the peers, which cannot continue a program of an ended process. One program runs at a time. */
export function peerVariants(words = []) {
  const others = PEERS.filter(({ specs }) => specs !== undefined);
  const chosen = others.filter(({ title }) => words.length === 0 || words.some((word) => title.includes(word)));
  return chosen.flatMap((peer) => ['none', 'kill'].map((fault) => ({ peer, fault, atOnce: 1 })));
}

/**
 * Returns the variants that have all words of one of the texts, as in `quickjs, TypeScript, kill`.
 * @param texts undefined for all variants, or for some if `quick`
 * @throws Error for a text without a variant: it lists the words
 */
export function chosenVariants(texts, { quick = false } = {}) {
  const wanted = (texts ?? (quick ? QUICK : undefined))?.map((text) => text.toLowerCase().split(/\s*,\s*/));
  if (wanted === undefined) return VARIANTS;
  const fits = (variant, words) => words.every((word) => wordsOf(variant).includes(word));
  const unknown = wanted.find((words) => !VARIANTS.some((variant) => fits(variant, words)));
  if (unknown) throw new Error(`There is no variant "${unknown.join(', ')}". These exist:\n${listed()}`);
  return VARIANTS.filter((variant) => wanted.some((words) => fits(variant, words)));
}

const listed = () => VARIANTS.map((variant) => `  ${titleOf(variant)}`).join('\n');

/** Returns the tasks in the order of the hashes of their names: the first ones are a sample that no result can change. */
export function inFixedOrder(tasks) {
  const keyed = tasks.map((task) => ({ task, key: hashOf(task.id) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ task }) => task);
}

/** Returns the fault of a task for the server, at a call that its name and the variant choose. A task without calls has none. */
export function faultOf(kind, calls, text) {
  if (kind === 'none' || calls === 0) return undefined;
  const random = seededRandom(Number.parseInt(hashOf(text).slice(0, 8), 16));
  const at = random.whole(1, calls);
  if (kind === 'kill') return { kind: random.whole(0, 1) === 0 ? 'before' : 'after', at };
  return { kind, at };
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex');
