import type { EncodedPart } from './part.ts';

/** Longer texts are read as texts. */
const MAX_CHARACTERS = 1_000_000;
/** The texts and numbers of a JSON text, and all between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Returns a text that is a JSON object, list or string as one part. Other content of the same structure keeps the spaces, and the form of
 * unchanged texts and numbers. Undefined for a text whose order is not that of its value, such as one with a key twice.
 */
export function jsonPart(text: string): EncodedPart | undefined {
  const first = text[0];
  if ((first !== '{' && first !== '[' && first !== '"') || text.length > MAX_CHARACTERS) return undefined;
  const last = text[text.length - 1];
  if (last !== '}' && last !== ']' && last !== '"') return undefined;
  let content: unknown;
  let before: (string | number)[];
  try {
    content = JSON.parse(text);
    before = [...scalarsOf(content)];
  } catch {
    // It is no JSON, or nested too deeply.
    return undefined;
  }
  const tokens = [...text.matchAll(TOKEN)].map(([token]) => token);
  const forms = tokens.map(formOf);
  const isInOrder =
    tokens.length === before.length && tokens.every((token, index) => Object.is(JSON.parse(token), before[index]));
  if (!isInOrder || forms.includes(undefined)) return undefined;
  return {
    kind: 'json',
    start: 0,
    end: text.length,
    content,
    encode(changed) {
      const after = [...scalarsOf(changed)];
      let index = 0;
      return text.replace(TOKEN, (token) => {
        const at = index++;
        return Object.is(after[at], before[at]) ? token : (forms[at]?.(after[at]) ?? token);
      });
    },
  };
}

/** Returns how a text or number is written; undefined for a form that is not known. Numbers stay, or become texts. */
function formOf(token: string): ((scalar: unknown) => string) | undefined {
  if (!token.startsWith('"')) return JSON.stringify;
  return [JSON.stringify, asciiOnly].find((form) => form(JSON.parse(token)) === token);
}

/** The form of Python's `json.dumps`, which escapes all other characters. */
function asciiOnly(scalar: unknown): string {
  return JSON.stringify(scalar).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Yields the keys, texts and numbers of a JSON value, in the order of its text. */
function* scalarsOf(value: unknown): Generator<string | number> {
  if (typeof value === 'string' || typeof value === 'number') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* scalarsOf(item);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      yield key;
      yield* scalarsOf(child);
    }
  }
}
