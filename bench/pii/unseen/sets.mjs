import { LABELLED } from './labelled.mjs';
import { PROSE } from './prose.mjs';
import { STRUCTURED } from './structured.mjs';
import { documentsOf } from './template.mjs';
import { TRANSCRIPTS } from './transcripts.mjs';

const TEMPLATES = { structured: STRUCTURED, prose: PROSE, labelled: LABELLED, transcripts: TRANSCRIPTS };

/** The names of the sets. */
export const SETS = Object.keys(TEMPLATES);

/** Returns labelled documents of one half of a set; a transcript has three parts. */
export function unseenDocuments(set, half, count, seed) {
  return documentsOf(TEMPLATES[set], { half, count, seed, size: set === 'transcripts' ? 3 : 1 });
}
