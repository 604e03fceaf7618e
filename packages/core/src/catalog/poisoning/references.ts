import type { Token, WordClass } from './lexicon.ts';
import { addressesIn, CONTEXT_PHRASES, SECRET_FILES } from './markers.ts';
import type { Match } from './phrases.ts';

const NAME = /(?<![A-Za-z0-9_-])[A-Za-z][A-Za-z0-9_-]{2,127}/g;
/** A sign inside, or a capital letter after a small one. */
const SEVERAL_WORDS = /[A-Za-z0-9][_-]{1,2}[A-Za-z0-9]|[a-z][A-Z]/;

/** Returns the names of more than one word in a text, as tools have them. */
export function namesIn(text: string): { readonly name: string; readonly start: number }[] {
  return [...text.matchAll(NAME)]
    .filter(([name]) => SEVERAL_WORDS.test(name))
    .map(({ 0: name, index: start }) => ({ name, start }));
}

/** Words on each side of a name or an address that belong to it. */
const NEAR_WORDS = 10;
const DIRECTIVES: readonly WordClass[] = ['must', 'before', 'never', 'prefer', 'change', 'ignore', 'every', 'secretly'];
const STRONG_DIRECTIVES: readonly WordClass[] = ['never', 'change', 'ignore', 'secretly'];
const TRANSFERS: readonly WordClass[] = ['send', 'embed', 'goes'];
const DUTIES: readonly WordClass[] = ['must', 'before', 'secret', 'context', 'secretly', 'every'];

/** The names that a definition may use: those of its server, and those of the other servers. */
export interface ToolNames {
  readonly own: { has(name: string): boolean };
  readonly isForeign: (name: string) => boolean;
}

/** Returns instructions about tools of other servers. Their names alone are no evidence. */
export function foreignTools(text: string, tokens: readonly Token[], { own, isForeign }: ToolNames): Match[] {
  const matches: Match[] = [];
  for (const { name, start } of namesIn(text)) {
    const end = start + name.length;
    if (own.has(name) || !isNamedTool(text, { name, start, end }, isForeign(name))) continue;
    const isAsked = hasNear(tokens, { start, end }, DIRECTIVES);
    // A tool of no server that is known is weaker evidence.
    const isStrong = isForeign(name) || hasNear(tokens, { start, end }, STRONG_DIRECTIVES);
    if (isAsked) matches.push({ kind: 'other-tools', weight: isStrong ? 3 : 2, start, end });
  }
  return matches;
}

/** Whether the text means a tool: "the send_email tool", "`send-email`", and names of known tools with a sign inside. */
function isNamedTool(
  text: string,
  { name, start, end }: { readonly name: string; readonly start: number; readonly end: number },
  isKnown: boolean,
): boolean {
  const before = text.slice(Math.max(0, start - 8), start);
  const after = text.slice(end, end + 16);
  if (/[/.:$]$/.test(before) || /^[/(:=]|^\.\w/.test(after)) return false;
  if (/^["'`]?\s(?:mcp\s)?tool\b/i.test(after) || /\btool\s["'`]?$/i.test(before)) return /^[a-z][\w-]*$/.test(name);
  return isKnown && (/["'`]$/.test(before) || /^[a-z0-9]+_|[a-z][A-Z]/.test(name));
}

/** Returns files with secrets that the text asks to read or to send, and weaker evidence for their names alone. */
export function secretFiles(text: string, tokens: readonly Token[]): Match[] {
  return [...text.matchAll(SECRET_FILES)].map(({ 0: file, index: start }) => {
    const at = { start, end: start + file.length };
    const isSent = hasNear(tokens, at, TRANSFERS);
    const isRead = hasNear(tokens, at, ['read']);
    if (file.endsWith('.env') && !isSent) {
      const weight = isRead && hasNear(tokens, at, DUTIES) ? 3 : 1;
      return { kind: 'sensitive-file', weight, ...at };
    }
    return { kind: 'sensitive-file', weight: isSent || isRead ? 3 : 2, ...at };
  });
}

/** Returns requests for the conversation, the prompt or the results of other tools. */
export function contextPhrases(text: string, tokens: readonly Token[]): Match[] {
  return [...text.matchAll(CONTEXT_PHRASES)].map(({ 0: phrase, index: start }) => {
    const end = start + phrase.length;
    return { kind: 'context-request', weight: hasNear(tokens, { start, end }, TRANSFERS) ? 3 : 2, start, end };
  });
}

/** Returns the addresses to which the text asks to send something. */
export function destinations(text: string, tokens: readonly Token[]): Match[] {
  return addressesIn(text)
    .filter((found) => hasNear(tokens, found, TRANSFERS) && !isExample(text, found.start))
    .map(({ address, start, end }) => {
      const isAsked = hasNear(tokens, { start, end }, DUTIES);
      const isMail = !address.includes('://');
      const isNumber = /:\/\/(?!10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}/.test(
        address,
      );
      const weight = isMail || isNumber ? 3 : isAsked ? 2 : 0;
      return { kind: 'foreign-destination' as const, weight, start, end };
    })
    .filter(({ weight }) => weight > 0);
}

/** Whether the words before an address call it an example. */
function isExample(text: string, start: number): boolean {
  return /\b(?:e\.g\.|like|examples?|such as|format|default)\W{0,12}$/i.test(
    text.slice(Math.max(0, start - 30), start),
  );
}

function hasNear(
  tokens: readonly Token[],
  { start, end }: { readonly start: number; readonly end: number },
  classes: readonly WordClass[],
): boolean {
  const first = lowerBound(tokens, start);
  const has = (index: number): boolean | undefined => {
    const found = tokens[index]?.classes;
    return found === 'end' ? undefined : classes.some((each) => found?.has(each));
  };
  for (let index = first - 1; index >= Math.max(0, first - NEAR_WORDS); index--) {
    const near = has(index);
    if (near) return true;
    if (near === undefined) break;
  }
  let index = first;
  while ((tokens[index]?.start ?? end) < end) index++;
  for (let count = 0; count < NEAR_WORDS && index < tokens.length; count++, index++) {
    const near = has(index);
    if (near) return true;
    if (near === undefined) break;
  }
  return false;
}

/** Returns the index of the first token at or after a position. */
function lowerBound(tokens: readonly Token[], position: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
