import { isCommonWord, isThingWord } from '../hints/frequent-words.ts';

/** A letter of upper case or of a script without case, and the rest of a word of a name. */
const WORD = "(?:\\p{Lu}(?:[\\p{L}\\p{M}]|['’\\u2010-](?=\\p{L})){0,29}|[\\p{Lo}\\p{M}]{1,30})";
const PARTICLE = '(?:de|da|di|do|dos|du|del|della|van|von|der|den|la|le|el|al|bin|ibn|ben|y|zu|ter|ten)';
const NAME = new RegExp(`(?:${PARTICLE} ){0,2}${WORD}\\.?(?:(?:, ?| |;)(?:${PARTICLE} ){0,2}${WORD}\\.?){0,4}`, 'uy');
/** Characters after a name that make it code, a path or a longer word. */
const NO_END = /^(?:[\p{L}\p{N}\p{M}_([{:=/@\\$]|\.[\p{L}_]|\?\.|[-’']\p{L})/u;
/** Words of types, of empty values and of labels. */
const NO_NAME = new Set(
  `string str text varchar char int integer number float double boolean bool true false none null nil undefined object array list any
  optional required column field name first last middle given family full nombre vorname nachname surname yes no unknown n/a na nan tbd
  todo void date datetime timestamp uuid id value default example sample test placeholder schema types type model self this symbol
  ascending descending left right self input output public private static final const new author customer user contact address`.split(
    /\s+/,
  ),
);
/** Names of classes and brands: `WindowManager`. */
const CODE_NAME = /^(?!Ma?c|D[aei]|L[ae]|Van|Fitz|O['’])\p{L}*\p{Ll}\p{Lu}/u;
const CAPITAL = /\p{Lu}\p{Ll}|\p{Lo}{2}/u;
const LETTER = /\p{L}/u;
const NO_ADDRESS =
  /^(?:see|same|not|no|invoice|order|ticket|page|line|step|version|error|code)\b|[@=(){}\\<>$*]|:\/\/|0x|\b\d{1,3}(?:\.\d{1,3}){3}\b|[a-f\d]{2}(?::[a-f\d]{2}){3}|:\d|\.\w{1,5}$|^\d{4}-\d\d|^v?\d+\.\d|_|^\d+ ?(?:[kmg]?b|bytes?|ms|s|px|%)\b|::|->/i;
/** The number of a building. */
const NUMBER = /(?<![\p{L}\p{N}])\p{Nd}{1,5}\p{L}?(?![\p{L}\p{N}])/u;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]{3}/u;
const SENTENCE_END = /\.\s+(?=\p{Lu}\p{Ll}+ \p{Ll})/u;
const MIN_ADDRESS_CHARS = 6;
const MAX_ADDRESS_CHARS = 160;

/** Returns the name at the beginning of a value, or undefined. A whole value in quotes or tags has to be a name. */
export function nameAt(value: string, isClosed: boolean): string | undefined {
  NAME.lastIndex = 0;
  const name = NAME.exec(value)?.[0];
  if (name === undefined || name.length < 2) return undefined;
  const rest = value.slice(name.length);
  if (isClosed ? rest.trim() !== '' : NO_END.test(rest)) return undefined;
  const words = name.split(/[\s,;]+/);
  if (words.some((word) => CODE_NAME.test(word) || NO_NAME.has(word.toLowerCase().replace(/\.$/, ''))))
    return undefined;
  return name;
}

/** Checks for one word that is also frequent in texts about things: "Mark", "Default". */
export function isCommon(name: string): boolean {
  const last = name.split(/[\s,]+/).at(-1) ?? '';
  return isCommonWord(last) || isThingWord(last);
}

/** Returns the address at the beginning of a value: letters and a number, or ideographs. */
export function addressAt(value: string): string | undefined {
  const end = SENTENCE_END.exec(value)?.index;
  const text = (end === undefined ? value : value.slice(0, end)).replace(/[\s,;'`*]+$/, '');
  if (text.length < MIN_ADDRESS_CHARS || text.length > MAX_ADDRESS_CHARS || NO_ADDRESS.test(text)) return undefined;
  if (!LETTER.test(text) || !CAPITAL.test(text) || !(NUMBER.test(text) || IDEOGRAPHS.test(text))) return undefined;
  return text;
}
