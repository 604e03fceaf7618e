/** The types that are scored by default. Names and addresses have labels in one set only. */
const SCORED = new Set([
  'EMAIL',
  'PHONE',
  'SSN',
  'CREDIT_CARD',
  'IP',
  'MAC',
  'IBAN',
  'DATE_OF_BIRTH',
  'PASSPORT',
  'NATIONAL_ID',
  'SECRET',
]);
const CONTEXT_CHARACTERS = 45;

const percent = (share) => Math.round(share * 1000) / 10;
const f1Of = ({ gold, found, right }) => percent((2 * right) / Math.max(1, gold + found));
const overlaps = (one, other) => one.start < other.end && other.start < one.end;

/** Compares findings with labels one to one: same type and a common character. Returns percentages, and errors in their context. */
export function score(documents, detect, more = []) {
  const scored = new Set([...SCORED, ...more]);
  const all = { gold: 0, found: 0, right: 0 };
  const types = {};
  const errors = [];
  let characters = 0;
  let leaked = 0;
  for (const { text, spans } of documents) {
    const found = detect(text).filter(({ type }) => scored.has(type));
    const free = new Set(found);
    const around = (span) =>
      JSON.stringify(
        `${text.slice(Math.max(0, span.start - CONTEXT_CHARACTERS), span.start)}⟦${text.slice(span.start, span.end)}⟧${text.slice(span.end, span.end + 20)}`,
      );
    const count = (type, key) => {
      types[type] ??= { gold: 0, found: 0, right: 0 };
      types[type][key]++;
      all[key]++;
    };
    for (const span of spans) {
      const match = [...free].find((one) => one.type === span.type && overlaps(one, span));
      count(span.type, 'gold');
      characters += span.end - span.start;
      for (let at = span.start; at < span.end; at++)
        if (!found.some((one) => one.start <= at && at < one.end)) leaked++;
      if (match) free.delete(match);
      if (match) count(span.type, 'right');
      else errors.push(`missed ${span.type} ${around(span)}`);
    }
    for (const one of found) count(one.type, 'found');
    for (const one of free) errors.push(`wrong ${one.type} ${around(one)}`);
  }
  return {
    f1: f1Of(all),
    precision: percent(all.right / all.found),
    recall: percent(all.right / all.gold),
    leak: percent(leaked / characters),
    types: Object.fromEntries(Object.entries(types).map(([type, counts]) => [type, f1Of(counts)])),
    errors,
  };
}
