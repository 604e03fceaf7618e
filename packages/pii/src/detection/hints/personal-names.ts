import { isCommonWord, isThingWord } from './frequent-words.ts';
import { EVIDENCE } from './persons.ts';

const MAX_NAME_CHARS = 80;
const MAX_WORDS = 5;
/** "Ada", "O'Neil", "李", and initials. */
const NAME_WORD = /^[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}'’-]*\.?$/u;
const PARTICLE = /^(?:de|da|di|do|dos|du|del|della|van|von|der|den|la|le|el|al|bin|ibn|ben|y|e|zu|ter|ten)$/i;
/** "CopilotKit", "iPhone", but also names such as "McDonald" by themselves. */
const BRAND = /^(?!Mc|Mac|De|Di|Le|La|O')\p{L}*\p{Ll}\p{Lu}/u;
/** Names of accounts and things in code: `my-service`, `user.name`, `dependabot[bot]`. */
const CODE_WORD = /^[a-z0-9]+(?:[-_.][a-z0-9]+)+$|[\d_/:@[\]{}<>#=]/;

/** Names of classes of errors: `TypeError`. */
const ERROR_CLASS = /^\p{Lu}\p{L}*(?:Error|Exception|Warning)$/u;

/**
 * Checks whether a `name` is the name of a person, by the strongest evidence of its object for a person and for a thing.
 * Strong evidence accepts nearly every name. Equal or weak evidence accepts two words such as "Ada Lovelace".
 */
export function isPersonalName(value: string, person: number, thing: number): boolean {
  if (person <= 0 || thing > person || value.length > MAX_NAME_CHARS) return false;
  const text = value.trim();
  if (ERROR_CLASS.test(text)) return false;
  if (person === EVIDENCE.certain && thing < person) return !/[/{}<>[\]]/.test(text);
  if (CODE_WORD.test(text)) return false;
  const words = text.split(/[\s,]+/);
  const last = words.at(-1) ?? '';
  if (person === thing || person === EVIDENCE.weak) return words.length > 1 && isFullName(words);
  if (isThingWord(last.replace(/\.$/, ''))) return false;
  if (words.length === 1 && person < EVIDENCE.contact && BRAND.test(text)) return false;
  // A word in lower case is rather the name of an account.
  const isPlain = text === text.toLowerCase() && text !== text.toUpperCase();
  return !isPlain || (person >= EVIDENCE.contact && !isCommonWord(last));
}

function isFullName(words: readonly string[]): boolean {
  return (
    words.length <= MAX_WORDS &&
    words.every((word) => NAME_WORD.test(word) || PARTICLE.test(word)) &&
    !isCommonWord((words.at(-1) ?? '').replace(/\.$/, ''))
  );
}
