// Counts the findings in files of other people: node bench/pii/false-positives.mjs [--sample N] [--seed N] [--limit MB] FOLDER... Needs a build.
// Reads JSON, lock files, documents and source code, at most `limit` MB of each folder. Prints findings per MB by kind and type, and a random sample
// in its context as JSON lines on stderr. A person has to decide which of the sample are wrong.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { detectText } from '../../packages/pii/build/detection/documents/text.js';
import { round } from '../measure.mjs';
import { random as seeded } from './random.mjs';

const KINDS = {
  json: ['.json', '.jsonl', '.ndjson', '.geojson', '.map'],
  lock: ['.lock', '.yaml', '.yml', '.toml', '.csv', '.tsv'],
  docs: ['.md', '.txt', '.rst', '.html', '.xml'],
  code: ['.js', '.mjs', '.cjs', '.ts', '.mts', '.py', '.go', '.rb', '.java', '.sh', '.css'],
};
const KIND_OF = new Map(Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => [name, kind])));
const MAX_FILE_BYTES = 12_000_000;
const CONTEXT_CHARACTERS = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '7' },
    limit: { type: 'string', default: '40' },
  },
});
const { next: random } = seeded(Number(values.seed));
/** The order of the files does not depend on the findings. */
const { next: order } = seeded(Number(values.seed) + 1);
const sampleSize = Number(values.sample);
const sample = [];
const sizes = {};
const counts = {};
let seen = 0;

/** Keeps a random sample of all findings: reservoir sampling. */
function keep(item) {
  seen++;
  if (sample.length < sampleSize) sample.push(item);
  else {
    const at = Math.floor(random() * seen);
    if (at < sampleSize) sample[at] = item;
  }
}

function scan(file, kind) {
  const text = readFileSync(file, 'utf8');
  sizes[kind] = (sizes[kind] ?? 0) + text.length;
  for (const { type, start, end } of detectText(text)) {
    counts[kind] ??= {};
    counts[kind][type] = (counts[kind][type] ?? 0) + 1;
    const before = text.slice(Math.max(0, start - CONTEXT_CHARACTERS), start);
    keep({ kind, type, value: text.slice(start, end), before, after: text.slice(end, end + 20), file });
  }
  return text.length;
}

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile() && KIND_OF.has(extname(entry.name)) && statSync(path).size <= MAX_FILE_BYTES) yield path;
  }
}

for (const folder of positionals) {
  const files = [...filesIn(folder)].map((file) => ({ file, order: order() })).sort((a, b) => a.order - b.order);
  let left = Number(values.limit) * 1e6;
  for (const { file } of files) {
    if (left <= 0) break;
    left -= scan(file, KIND_OF.get(extname(file)));
  }
}

const perMb = Object.fromEntries(
  Object.entries(sizes).map(([kind, size]) => [
    kind,
    {
      megabytes: round(size / 1e6),
      perMb: Object.fromEntries(
        Object.entries(counts[kind] ?? {}).map(([type, count]) => [type, round(count / (size / 1e6))]),
      ),
    },
  ]),
);
console.log(JSON.stringify({ findings: seen, perMb }, null, 2));
for (const item of sample) console.error(JSON.stringify(item));
