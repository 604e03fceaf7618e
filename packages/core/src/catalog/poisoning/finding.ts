/** A reason to distrust a tool definition. */
export interface Finding {
  /** The kind of evidence. Each kind counts once, with its highest weight. */
  readonly kind: FindingKind;
  /** A definition with a sum of {@link HOLD_WEIGHT} is held. Evidence of this weight suffices alone. */
  readonly weight: number;
  /** Where: `description`, `inputSchema.properties.note.description`. */
  readonly place: string;
  /** The start of the text, with escapes for invisible characters. */
  readonly excerpt: string;
}

/** The sum of weights from which on a definition is held. */
export const HOLD_WEIGHT = 3;

/** The meaning of each kind of evidence. The text completes the sentence "The definition …". */
export const FINDING_TEXTS = {
  'hidden-characters': 'has invisible or direction-changing characters',
  'mixed-scripts': 'mixes letters of two scripts in a word',
  'hidden-by-space': 'hides text behind space or comments',
  'encoded-text': 'has encoded instructions',
  'shell-command': 'has a shell command that loads or sends data',
  'model-markup': 'has markup that models read as instructions',
  override: 'asks the model to ignore its instructions',
  secrecy: 'asks the model to hide something from the user',
  'sensitive-file': 'names files with secrets',
  'secret-request': 'asks for secrets',
  'context-request': 'asks for the conversation or the prompt',
  'foreign-destination': 'sends data to an address',
  'changed-values': 'changes recipients or values of other calls',
  'order-of-tools': 'asks the model to do something before or after other calls',
  'other-tools': 'gives instructions about tools of other servers',
  'tool-preference': 'asks the model to prefer it over other tools',
  'sink-parameter': 'has a parameter that collects other data',
  'unread-text': 'is too long to be read whole',
  pressure: 'threatens, or claims a duty',
} as const;

/** A kind of evidence. */
export type FindingKind = keyof typeof FINDING_TEXTS;

const MAX_EXCERPT = 120;
const INVISIBLE =
  /[^\P{C}\n\t]|[\u034f\u115f\u1160\u2028\u2029\u2800\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** Returns text of a definition with escapes for its invisible characters. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Returns the text around a position, on one line, for a finding. */
export function excerptOf(text: string, start: number, end = start): string {
  const from = Math.max(0, start - 30);
  const cut = text.slice(from, Math.max(end, from + MAX_EXCERPT));
  return visible(cut)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_EXCERPT * 2)
    .trim();
}
