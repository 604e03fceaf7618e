import { inSlices, type ProgramValues, type Steps } from '@toolwright/pii/internal';
import type { OpenedExecution } from '../execution.ts';
import type { ModuleLoader } from '../modules/loader.ts';

/** Quotes, and the sign around a regular expression. */
const SEPARATORS = ['"', "'", '`', '/'] as const;
/** Pieces, numbers and lines that are read without a look at the time. */
const PIECES_PER_STEP = 64;
/** Shorter pieces are compared with no value; longer ones are no value. */
const MIN_CHARACTERS = 2;
const MAX_CHARACTERS = 200;
const NUMBER = /\d[\d_]{2,18}/g;
/** Programs that compare without regard to case. */
const FOLDS = /lower|upper|casefold|swapcase|localecompare|ignorecase|\/[a-z]*i[a-z]*\b/i;

/** Opens the values of a program, with the literals of its source, and the values that it received before it was continued. */
export async function openProgramValues({
  source,
  earlier,
  settings,
  redactor,
}: OpenedExecution): Promise<ProgramValues> {
  const values = redactor.programValues();
  values.addLiterals(() => literalsOf(source));
  const { calls, replies } = earlier?.recording ?? { calls: new Map(), replies: settings.fork?.replies ?? [] };
  // The answers of calls have placeholders in place of the values that the replies show.
  for (const { answer } of calls.values()) if (answer?.ok) await values.reveal(answer.text);
  for (const { payload } of replies) await values.reveal(payload, true);
  return values;
}

/** Returns a loader that adds the literals of each module to those of the program. */
export function withLiterals(load: ModuleLoader, values: ProgramValues): ModuleLoader {
  return async (path) => {
    const source = await load(path);
    values.addLiterals(() => literalsOf(source));
    return source;
  };
}

/**
 * Returns the texts and numbers that a program may compare with: everything between two quotes of a line, numbers, and the text of
 * regular expressions. The source is not parsed, so code between two texts is in the result too. If the program folds case, the texts
 * in other cases are in the result. Pauses between slices.
 */
export async function literalsOf(source: string): Promise<Set<string>> {
  return inSlices(findLiterals(source));
}

function* findLiterals(source: string): Steps<Set<string>> {
  const found = new Set<string>();
  const folds = FOLDS.test(source);
  const add = (text: string) => {
    if (text.length < MIN_CHARACTERS || text.length > MAX_CHARACTERS) return;
    found.add(text);
    if (!folds) return;
    found.add(text.toLowerCase());
    found.add(text.toUpperCase());
    found.add(text.toLowerCase().replaceAll(/(?<!\p{L})\p{Ll}/gu, (letter) => letter.toUpperCase()));
  };
  /** A text may be a regular expression, in Python always. */
  const addText = (text: string) => {
    add(text);
    add(plainPattern(text));
  };
  let looked = 0;
  for (const line of source.split('\n')) {
    for (const separator of SEPARATORS) {
      for (const piece of line.split(separator).slice(1, -1)) {
        addText(piece);
        if (++looked % PIECES_PER_STEP === 0) yield;
      }
    }
    for (const [digits] of line.matchAll(NUMBER)) {
      add(digits.replaceAll('_', ''));
      if (++looked % PIECES_PER_STEP === 0) yield;
    }
    if (++looked % PIECES_PER_STEP === 0) yield;
  }
  return found;
}

/** Returns the text of a regular expression without escapes and anchors. */
function plainPattern(pattern: string): string {
  return pattern.replaceAll(/\\([^\w])/g, '$1').replaceAll(/^\^|\$$|\\b/g, '');
}
