// Measures detection on templates that were written apart from the rules: node bench/pii/unseen.mjs [--half tune|heldOut] [--seed N]
// [--errors N]. JSON on stdout. Needs a build. Rules are tuned with the half `tune` only; errors of the other half are never printed.
import { parseArgs } from 'node:util';
import { detectText } from '../../packages/pii/build/detection/documents/text.js';
import { score } from './unseen/score.mjs';
import { SETS, unseenDocuments } from './unseen/sets.mjs';

const { values } = parseArgs({
  options: {
    half: { type: 'string', default: 'tune' },
    seed: { type: 'string', default: '1' },
    errors: { type: 'string', default: '0' },
  },
});
const report = { half: values.half, seed: Number(values.seed) };
for (const set of SETS) {
  const more = set === 'labelled' ? ['NAME', 'ADDRESS'] : [];
  const { errors, ...figures } = score(unseenDocuments(set, values.half, 1000, Number(values.seed)), detectText, more);
  report[set] = figures;
  if (values.half === 'tune')
    for (const line of errors.slice(0, Number(values.errors))) console.error(`${set} ${line}`);
}
console.log(JSON.stringify(report, null, 2));
