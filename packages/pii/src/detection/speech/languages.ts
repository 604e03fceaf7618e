/** Numbers in the words of one language. */
export interface Language {
  /** The digits of each word: `fifteen` is `15`, `twenty` is `20`. */
  readonly digits: ReadonlyMap<string, string>;
  /** Words that repeat the next digit. */
  readonly repeats: ReadonlyMap<string, number>;
  /** Two digits in one word, such as `einundzwanzig`. */
  readonly compound?: RegExp;
}

/** Words for the point of an address, in all languages. */
export const DOT_WORDS: ReadonlySet<string> = new Set(['dot', 'point', 'punkt', 'punto', 'ponto', 'punt']);

/** Words between two parts of a number that are no digits, in all languages. */
export const FILLERS: ReadonlySet<string> = new Set(
  `area code um umm uh uhh er erm ah hmm mm mhm okay ok yes yeah yep right got it let me see hold on sorry no
  wait i mean actually and then thats that's so again dash hyphen space pause äh ähm hm moment also und dann ja
  genau strich bindestrich minus warten sie mal nein euh heu alors et puis ensuite attendez oui tiret espace non
  pardon fois eh este y luego espera espere sí si guion guión perdón a ver allora e poi aspetti sì trattino
  scusi ehm é hum depois sim traço hífen não en dan wacht even streepje nee`.split(/\s+/),
);

/** Reads words from zero on, words from ten on, words of tens from twenty on, and the rest. */
function language(
  units: string,
  teens: string,
  tens: string,
  more: readonly (readonly [string, string])[] = [],
  repeats: readonly (readonly [string, number])[] = [],
  compound?: RegExp,
): Language {
  const digits = new Map<string, string>(more);
  const add = (words: string, digitsOf: (index: number) => string) => {
    for (const [index, word] of words.split(' ').entries()) if (!digits.has(word)) digits.set(word, digitsOf(index));
  };
  add(units, (index) => String(index));
  add(teens, (index) => String(10 + index));
  add(tens, (index) => `${2 + index}0`);
  return { digits, repeats: new Map(repeats), compound };
}

const ENGLISH = language(
  'zero one two three four five six seven eight nine',
  'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  'twenty thirty forty fifty sixty seventy eighty ninety',
  [
    ['oh', '0'],
    ['o', '0'],
    ['nought', '0'],
    ['hundred', '00'],
    ['thousand', '000'],
  ],
  [
    ['double', 2],
    ['triple', 3],
  ],
);
const GERMAN = language(
  'null eins zwei drei vier fünf sechs sieben acht neun',
  'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
  [
    ['zwo', '2'],
    ['fuenf', '5'],
    ['dreissig', '30'],
  ],
  [
    ['doppel', 2],
    ['dreimal', 3],
    ['zweimal', 2],
  ],
  /^(?:ein|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun)und(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)$/,
);
const FRENCH = language(
  'zéro un deux trois quatre cinq six sept huit neuf',
  'dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
  'vingt trente quarante cinquante soixante septante huitante nonante',
  [
    ['zero', '0'],
    ['vingts', '20'],
  ],
  [['double', 2]],
);
const SPANISH = language(
  'cero uno dos tres cuatro cinco seis siete ocho nueve',
  'diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
  'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
  [],
  [
    ['doble', 2],
    ['triple', 3],
  ],
  /^(?:veinti|treintai|cuarentai)(?:uno|ún|dós|dos|trés|tres|cuatro|cinco|séis|seis|siete|ocho|nueve)$/,
);
const ITALIAN = language(
  'zero uno due tre quattro cinque sei sette otto nove',
  'dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
  'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
  [],
  [['doppio', 2]],
  /^(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ia]?(?:uno|due|tre|tré|quattro|cinque|sei|sette|otto|nove)$/,
);
const PORTUGUESE = language(
  'zero um dois três quatro cinco seis sete oito nove',
  'dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove',
  'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
  [
    ['meia', '6'],
    ['tres', '3'],
    ['quatorze', '14'],
  ],
  [['duplo', 2]],
);
const DUTCH = language(
  'nul een twee drie vier vijf zes zeven acht negen',
  'tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
  'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
  [['één', '1']],
  [['dubbel', 2]],
  /^(?:een|één|twee|drie|vier|vijf|zes|zeven|acht|negen)[eë]n(?:twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig)$/,
);
const LANGUAGES: readonly Language[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];

const MIN_COMPOUND_CHARS = 8;
const NONE: readonly Language[] = [];
/** The languages of each word of a number. */
const BY_WORD = new Map<string, Language[]>();
for (const one of LANGUAGES) {
  for (const word of [...one.digits.keys(), ...one.repeats.keys()])
    BY_WORD.set(word, [...(BY_WORD.get(word) ?? []), one]);
}

/** Returns the languages in which a word in lower case is a part of a number. */
export function languagesOf(word: string): readonly Language[] {
  const known = BY_WORD.get(word);
  if (known !== undefined || word.length < MIN_COMPOUND_CHARS) return known ?? NONE;
  return LANGUAGES.filter(({ compound }) => compound?.test(word));
}

/** Checks for a digit in words or figures. */
export function isSpokenDigit(word: string): boolean {
  return /^\d{1,6}$/.test(word) || BY_WORD.has(word);
}

/** The default for numbers that begin with figures. */
export const DEFAULT_LANGUAGE: Language = ENGLISH;

/** Words before "at" that are no address: "look us up at northwind dot com". */
const NOT_LOCAL: ReadonlySet<string> = new Set(
  `us me you it him her them up is are be was were online website site page found available visit go out or and over here
  there back hosted running look looking looked work works working worked stay live start started arrive shop buy meet met reach
  talk store in on the a i not this that these those aim point arrived made sold listed only check see seen more read`.split(
    /\s+/,
  ),
);

/** Checks for a word before "at" that is no address: "look at", "work at". */
export function isNoAddress(word: string): boolean {
  return NOT_LOCAL.has(word.toLowerCase());
}
