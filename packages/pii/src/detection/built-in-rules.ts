// The built-in rules, which load at the first search: their tables are a third of the time of an import.

export { isPlainValue } from './documents/plain.ts';
export { detectText, leafOf, textSteps } from './documents/text.ts';
export { findingOf, spansOf, visitLeaves } from './documents/value.ts';
export { findInLargeText } from './large-text.ts';
