import type { LanguageName } from '@toolwright/sandbox';

/** Lines of a program that are read. */
const MAX_LINES = 200;
/** Characters of a line that are read. */
const MAX_LINE_CHARACTERS = 200;

/** Lines that only one of the languages has. */
const ONLY: Readonly<Record<LanguageName, RegExp>> = {
  python:
    /^\s*(?:(?:async\s+)?def\s+\w+\(|elif\b|from\s+[\w.]+\s+import\b|import\s+[\w.]+(?:\s+as\s+\w+)?\s*$|(?:if|for|while|with|try|else|except)\b[^{]*:\s*(?:#.*)?$|#)|\bprint\(f["']|\b(?:None|True|False)\b/,
  typescript:
    /^\s*(?:(?:const|let|var)\s+[\w[{]|import\s.*\sfrom\s+["']|(?:async\s+)?function\b|export\s|\/\/|\}\s*(?:else|catch)\b|interface\s+\w+)|=>|===|;\s*$|\bnew\s+\w+\(/,
};
const CERTAINLY_TYPESCRIPT = /^\s*(?:(?:const|let|var)\s+[\w[{]|(?:async\s+)?function\b)|=>|===/;
const NAMES: Readonly<Record<LanguageName, string>> = { typescript: 'TypeScript', python: 'Python' };

/** Returns a hint for a program that cannot be read and looks like the other language; undefined for any other program. */
export function otherLanguageHint(source: string, language: LanguageName): string | undefined {
  const other = language === 'python' ? 'typescript' : 'python';
  const lines = source.split('\n', MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const line = (pattern: RegExp) => lines.findIndex((text) => pattern.test(text)) + 1;
  // A language worker finds a mixture in a program that was read as TypeScript.
  if (language === 'python' && line(CERTAINLY_TYPESCRIPT) > 0 && line(ONLY.python) > 0) {
    return `The program mixes TypeScript (line ${line(CERTAINLY_TYPESCRIPT)}) and Python (line ${line(ONLY.python)}): write all of it in one language.`;
  }
  if (count(ONLY[other]) <= count(ONLY[language])) return undefined;
  return `This looks like ${NAMES[other]}, but it was read as ${NAMES[language]}: set language to "${other}".`;
}
