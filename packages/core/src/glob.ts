/** Maximum characters of a glob. */
const MAX_GLOB_CHARACTERS = 256;

/** Returns why a text is no glob; undefined for a glob. */
export function globProblem(glob: unknown): string | undefined {
  if (typeof glob !== 'string' || glob === '') return 'expected a text, such as "crm__delete_*"';
  if (glob.length > MAX_GLOB_CHARACTERS) {
    return `a glob has at most ${MAX_GLOB_CHARACTERS} characters, got ${glob.length}`;
  }
  const [special] = /^!|[[\]{}\\]/.exec(glob) ?? [];
  if (special === undefined) return undefined;
  return `"${special}" has no meaning in a glob. Only * (any text) and ? (one character) have one; write a list for alternatives`;
}

/** Returns whether a text matches. */
export type GlobTest = (text: string) => boolean;

/**
 * Compiles a glob, or a list of which one must match a whole text: `*` is any text, `?` is one character, and case counts.
 */
export function compileGlobs(globs: string | readonly string[]): GlobTest {
  const tests = (typeof globs === 'string' ? [globs] : globs).map(compileGlob);
  const [first] = tests;
  return tests.length === 1 && first ? first : (text) => tests.some((test) => test(text));
}

/** Most globs have no `?` and one `*` at most. */
function compileGlob(glob: string): GlobTest {
  const [start = '', end, ...more] = glob.split('*');
  if (glob.includes('?') || more.length > 0) return (text) => matches(glob, text);
  if (end === undefined) return (text) => text === glob;
  const length = start.length + end.length;
  return (text) => text.length >= length && text.startsWith(start) && text.endsWith(end);
}

/** Takes at most the product of both lengths. */
function matches(glob: string, text: string): boolean {
  let inGlob = 0;
  let inText = 0;
  /** The last `*`, and the end of the text that it stands for. */
  let star = -1;
  let starEnd = 0;
  while (inText < text.length) {
    const wanted = glob[inGlob];
    if (wanted === '*') {
      star = inGlob++;
      starEnd = inText;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[inText])) {
      inGlob++;
      inText++;
    } else if (star >= 0) {
      inGlob = star + 1;
      inText = ++starEnd;
    } else return false;
  }
  while (glob[inGlob] === '*') inGlob++;
  return inGlob === glob.length;
}

/** Returns whether a glob may match a text, by its part before the first wildcard. */
export function mayMatch(glob: string, text: string): boolean {
  const start = literalStart(glob);
  return start === glob ? text === glob : text.startsWith(start);
}

/** Returns whether a glob may match a text with this start. */
export function mayStart(glob: string, start: string): boolean {
  const literal = literalStart(glob);
  return literal.startsWith(start) || (literal !== glob && start.startsWith(literal));
}

function literalStart(glob: string): string {
  return glob.split(/[*?]/, 1)[0] ?? '';
}
