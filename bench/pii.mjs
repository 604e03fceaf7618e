// Measures detection on generated documents and hostile texts; JSON on stdout. Needs a build. Times are CPU times of this
// process. JSON.parse and a plain regular expression on the same text are references, because ratios vary less by machine.
import { detectText } from '../packages/pii/build/detection/documents/text.js';
import { percentiles, round } from './measure.mjs';
import { documents, FAMILY_NAMES } from './pii/documents.mjs';
import { HOSTILE, hostile } from './pii/hostile.mjs';

const SEED = Number(process.argv[2] ?? 7);
const PLAIN = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}/g;

function cpuMs(task, times = 7) {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < times; run++) {
    const before = process.cpuUsage();
    task();
    best = Math.min(best, process.cpuUsage(before).user / 1e3);
  }
  return best;
}

/** Matches findings and labels one-to-one, by type and overlap. */
function quality(set) {
  let gold = 0;
  let predicted = 0;
  let right = 0;
  let characters = 0;
  let leaked = 0;
  for (const { text, spans, scored } of set) {
    const found = detectText(text);
    const same = found.filter(({ type }) => scored.includes(type));
    const used = new Set();
    for (const span of spans) {
      const match = same.find(
        (one) => !used.has(one) && one.type === span.type && one.start < span.end && span.start < one.end,
      );
      if (match) used.add(match);
      const hidden = found.reduce(
        (sum, one) => sum + Math.max(0, Math.min(one.end, span.end) - Math.max(one.start, span.start)),
        0,
      );
      characters += span.end - span.start;
      leaked += span.end - span.start - hidden;
    }
    gold += spans.length;
    predicted += same.length;
    right += used.size;
  }
  const precision = (100 * right) / predicted;
  const recall = (100 * right) / gold;
  return {
    gold,
    precision: round(precision),
    recall: round(recall),
    f1: round((2 * precision * recall) / (precision + recall)),
    leakPercent: round((100 * leaked) / characters),
  };
}

function speed(text, isJson) {
  const rate = (task) => round(text.length / 1e3 / cpuMs(task), 1);
  const ours = rate(() => detectText(text));
  const parse = isJson ? rate(() => JSON.parse(text)) : undefined;
  const plain = rate(() => text.match(PLAIN));
  return {
    mbPerSecond: ours,
    jsonParseMbPerSecond: parse,
    plainRegexMbPerSecond: plain,
    shareOfPlainRegex: round(ours / plain),
  };
}

const report = { seed: SEED, quality: {}, speed: {}, hostile: {} };
for (const family of FAMILY_NAMES) report.quality[family] = quality(documents(family, 600, SEED));

const results = documents('json', 1500, SEED).map(({ text }) => text);
report.speed.json = speed(`[${results.join(',')}]`.slice(), true);
report.speed.prose = speed(
  documents('prose', 16_000, SEED)
    .map(({ text }) => text)
    .join('\n')
    .slice(0, 1e6),
  false,
);
const small = `[${results.slice(0, 40).join(',')}]`.slice(0, 4096);
const samples = Array.from({ length: 300 }, () => cpuMs(() => detectText(small), 1));
report.speed.result4kMs = percentiles(samples);

for (const name of Object.keys(HOSTILE)) {
  const quarter = cpuMs(() => detectText(hostile(name, 250_000)), 2);
  const whole = cpuMs(() => detectText(hostile(name, 1_000_000)), 2);
  report.hostile[name] = { mbMs: round(whole, 0), exponent: round(Math.log(whole / quarter) / Math.log(4)) };
}
console.log(JSON.stringify(report, null, 2));
