// Numbers and addresses as people say them and as speech recognition writes them.

const DIGITS = {
  en: ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  de: ['null', 'eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
  fr: ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
  es: ['cero', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve'],
};
const TEENS = [
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
  'thirteenth',
  'fourteenth',
  'fifteenth',
  'sixteenth',
  'seventeenth',
  'eighteenth',
  'nineteenth',
  'twentieth',
];
const DOUBLE = { en: 'double', de: 'doppel', fr: 'deux fois', es: 'doble' };
const FILLERS = {
  en: ['uh', 'um', 'let me see', 'and then'],
  de: ['äh', 'ähm', 'Moment'],
  fr: ['euh', 'attendez'],
  es: ['eh', 'espera'],
};
const SIGNS = {
  en: { '@': ['at'], '.': ['dot'], _: ['underscore'], '-': ['dash', 'hyphen'], '+': ['plus'] },
  de: { '@': ['at', 'ät'], '.': ['Punkt'], _: ['Unterstrich'], '-': ['Bindestrich', 'minus'], '+': ['plus'] },
  fr: { '@': ['arobase'], '.': ['point'], _: ['tiret bas', 'underscore'], '-': ['tiret'], '+': ['plus'] },
  es: { '@': ['arroba'], '.': ['punto'], _: ['guion bajo'], '-': ['guion'], '+': ['más'] },
};
const LETTERS = {
  a: 'Alpha',
  b: 'Bravo',
  c: 'Charlie',
  d: 'Delta',
  e: 'Echo',
  f: 'Foxtrot',
  g: 'Golf',
  h: 'Hotel',
  i: 'India',
  j: 'Juliet',
  k: 'Kilo',
  l: 'Lima',
  m: 'Mike',
  n: 'November',
  o: 'Oscar',
  p: 'Papa',
  q: 'Quebec',
  r: 'Romeo',
  s: 'Sierra',
  t: 'Tango',
  u: 'Uniform',
  v: 'Victor',
  w: 'Whiskey',
  x: 'X-ray',
  y: 'Yankee',
  z: 'Zulu',
};

/** Returns an English number from 0 to 99 in words. */
export const below100 = (number) =>
  number < 10
    ? DIGITS.en[number]
    : number < 20
      ? TEENS[number - 10]
      : TENS[Math.floor(number / 10)] + (number % 10 ? `${number % 2 ? '-' : ' '}${DIGITS.en[number % 10]}` : '');

/** Creates the speaker of one document. */
export function speaker({ pick, chance, int }) {
  const zero = pick(['zero', 'oh', 'oh']);
  const word = (digit, language) =>
    language === 'en' && digit === '0'
      ? zero
      : language === 'de' && digit === '2' && chance(0.4)
        ? 'zwo'
        : DIGITS[language][digit];

  /** Speaks each digit of one group; two equal ones may be a `double`. */
  function group(digits, language) {
    const words = [];
    for (let at = 0; at < digits.length; at++) {
      if (digits[at] === digits[at + 1] && language !== 'fr' && chance(0.5)) {
        words.push(`${DOUBLE[language]} ${word(digits[at], language)}`);
        at++;
      } else words.push(word(digits[at], language));
    }
    return words.join(' ');
  }

  /** Speaks a number that is written in groups: pauses between them, sometimes a filler. Speech recognition may write figures. */
  function digits(written, language = 'en') {
    const parts = written
      .split(/\D+/)
      .filter(Boolean)
      .flatMap((part) => (part.length > 5 ? part.match(/.{1,3}/g) : [part]));
    const style = pick(['words', 'words', 'words', 'figures', 'mixed']);
    const say = (part) =>
      style === 'figures' ? [...part].join(' ') : style === 'mixed' && chance(0.5) ? part : pairs(part, language);
    const gap = pick([', ', ' ', ', ', '... ', ' - ', '. ']);
    return parts
      .map((part, index) => (index > 0 ? (chance(0.12) ? `, ${pick(FILLERS[language])}, ` : gap) : '') + say(part))
      .join('');
  }

  /** Speaks a group of four or two in pairs sometimes: "forty-one fifty", "soixante-douze" is left to `french`. */
  function pairs(part, language) {
    if (language === 'en' && part.length === 4 && part[0] !== '0' && part[2] !== '0' && chance(0.2)) {
      return `${below100(Number(part.slice(0, 2)))} ${below100(Number(part.slice(2)))}`;
    }
    if (language === 'en' && /^[1-9]00$/.test(part)) return `${DIGITS.en[part[0]]} hundred`;
    return group(part, language);
  }

  /** Speaks an e-mail address; parts may be spelled in letters. */
  function email(address, language = 'en') {
    const sign = (char) => pick(SIGNS[language][char]);
    const [user, host] = address.split('@');
    const spell = chance(0.25);
    const comma = chance(0.3) ? ', ' : ' ';
    const part = (text) =>
      text
        .split(/([._+-]|\d+)/)
        .filter(Boolean)
        .map((piece) =>
          /^\d+$/.test(piece)
            ? chance(0.5)
              ? piece
              : group(piece, language)
            : SIGNS[language][piece]
              ? sign(piece)
              : spell && piece.length < 8 && text === user
                ? [...piece].join(' ')
                : piece,
        )
        .join(' ');
    return `${part(user)}${comma}${sign('@')}${comma}${part(host)}`;
  }

  /** Spells letters by the telephone alphabet: "W as in Whiskey, E as in Echo". */
  const spelled = (text) =>
    [...text.toLowerCase()]
      .filter((char) => LETTERS[char])
      .map((char) =>
        pick([`${char.toUpperCase()} as in ${LETTERS[char]}`, `${char.toUpperCase()} for ${LETTERS[char]}`]),
      )
      .join(', ');

  const year = (number) =>
    number >= 2000
      ? `two thousand${number > 2000 ? ` and ${below100(number - 2000)}` : ''}`
      : `nineteen ${number % 100 < 10 ? `oh ${DIGITS.en[number % 100]}` : below100(number % 100)}`;
  const ordinal = (day) => (day <= 20 ? ORDINALS[day - 1] : `twenty ${ORDINALS[day - 21]}`);
  const date = ({ year: born, month, day }, months) =>
    pick([
      `${months[month - 1]} ${ordinal(day)} ${year(born)}`,
      `the ${ordinal(day)} of ${months[month - 1]}, ${year(born)}`,
      `${months[month - 1]} ${day}, ${born}`,
      `${below100(month)}, ${below100(day)}, ${year(born)}`,
    ]);
  const ip = (address) =>
    address
      .split('.')
      .map((part) => (chance(0.5) ? group(part, 'en') : part))
      .join(' dot ');
  return { digits, email, spelled, date, ip, amount: () => `${below100(int(11, 99))} dollars` };
}
