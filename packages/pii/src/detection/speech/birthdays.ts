import type { Span } from '../detector.ts';

/** The beginnings of words before a date of birth. */
export const BIRTH_BEGINNINGS: readonly string[] = ['bir', 'bor', 'dob', 'd.o', 'geb', 'nai', 'nac', 'nas'];

const BIRTH =
  /(?:birth(?:day|date)?|born|dob|d\.o\.b|bday|geboren|geburt\p{L}*|naissance|nacimiento|nacid[oa]|nascita|nascimento|nascid[oa])(?!\p{L})/iuy;
const MAX_CHARS = 120;
const UNIT = '(?:one|two|three|four|five|six|seven|eight|nine)';
const TEEN = '(?:ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)';
const TENS = '(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)';
const PAIR = `(?:${TENS}(?:[ -]${UNIT})?|${TEEN})`;
const YEAR = `(?:(?:nineteen|twenty)(?: hundred(?: and)?| oh)?[ -](?:${PAIR}|${UNIT})|two thousand(?:,? and)?(?: (?:${PAIR}|${UNIT}))?|(?:19|20)\\d\\d|['’]?\\d\\d|${PAIR})(?![\\w])`;
const ORDINAL =
  '(?:twenty[ -]|thirty[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth)';
const DAY = `(?:${ORDINAL}|\\d{1,2}(?:st|nd|rd|th)?|${PAIR}|${UNIT})`;
const MONTH = '(?:january|february|march|april|may|june|july|august|september|october|november|december)';
const GAP = '(?:,? (?:of |the |uh,? |um,? |in )?)';
/** Days, months and years in words of other languages: "am fünften Mai neunzehnhundertachtzig". */
const OTHER_MONTH =
  '(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|novembre|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro|abril)';
const OTHER_YEAR =
  '(?:(?:19|20)\\d\\d|(?:neunzehnhundert|zweitausend)\\p{L}{0,20}|(?:mil(?:le)?|deux mille|dos mil|dois mil|duemila|millenovecento)\\p{L}{0,20}(?:[ -](?:y |e |et )?\\p{L}{2,14}){0,5})';
/** Most dates have no month in words: this search is quick. */
const ANY_MONTH = new RegExp(`${MONTH}|${OTHER_MONTH}`, 'iu');
const DATE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?:the )?${DAY}${GAP}${MONTH}${GAP}${YEAR}|${MONTH}${GAP}${DAY}${GAP}${YEAR}|(?:\\d{1,2}\\.?|\\p{L}{2,16})(?: de)? ${OTHER_MONTH}(?: de| del)? ${OTHER_YEAR})`,
  'iu',
);

/** Returns the date in words after a word such as "born", at most two sentences later. */
export function spokenBirthdayAt(text: string, at: number): Span | undefined {
  BIRTH.lastIndex = at;
  if (!BIRTH.test(text)) return undefined;
  const from = BIRTH.lastIndex;
  const after = text.slice(from, from + MAX_CHARS);
  const date = ANY_MONTH.test(after) ? DATE.exec(after) : undefined;
  if (!date) return undefined;
  const start = from + date.index;
  return { start, end: start + date[0].length, type: 'DATE_OF_BIRTH', evidence: 'shape+context' };
}
