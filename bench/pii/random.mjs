// Seeded values for generated documents, and marks at their positions in a document.

/** Creates a seeded random number generator (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (from, to) => from + Math.floor(next() * (to - from + 1));
  const pick = (list) => list[int(0, list.length - 1)];
  /** Fills a pattern: `#` is a digit, `N` 2 to 9, `h` a hexadecimal digit, `A` a letter. */
  const fill = (form) =>
    form.replace(/[#NhA]/g, (mark) =>
      mark === '#'
        ? int(0, 9)
        : mark === 'N'
          ? int(2, 9)
          : mark === 'h'
            ? pick([...'0123456789abcdef'])
            : pick([...'ABCDEFGHJKLMNPQRSTUVWXYZ']),
    );
  return { next, int, pick, fill, chance: (share) => next() < share };
}

const OPEN = '\ue000';
const TYPED = '\ue001';
const CLOSE = '\ue002';

/** Marks a value that is labelled in the finished document. */
export const mark = (type, value) => `${OPEN}${type}${TYPED}${value}${CLOSE}`;
/** Marks a value that is a number in JSON. */
export const markNumber = (type, value) => mark(`${type}!`, value);

/** Removes the marks from a document and returns `{text, spans}`. */
export function finish(marked) {
  const spans = [];
  let text = '';
  let last = 0;
  for (const match of marked.matchAll(/("?)\ue000([A-Z_]+)(!?)\ue001([^\ue002]*)\ue002("?)/g)) {
    const [whole, before, type, number, value, after] = match;
    text += marked.slice(last, match.index) + (number ? '' : before);
    spans.push({ start: text.length, end: text.length + value.length, type });
    text += value + (number ? '' : after);
    last = match.index + whole.length;
  }
  return { text: text + marked.slice(last), spans };
}

function luhnDigit(digits) {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    sum += index % 2 === 1 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return (10 - (sum % 10)) % 10;
}

const CARDS = [
  '4###############',
  '4###############',
  '51##############',
  '55##############',
  '2221############',
  '34#############',
  '37#############',
  '6011############',
  '65##############',
  '3530############',
  '36############',
  '62##############',
];
const IBANS = {
  GB: 'AAAA##############',
  DE: '##################',
  FR: '####################A##',
  NL: 'AAAA##########',
  ES: '####################',
  IT: 'A######################',
  CH: '#################',
  BE: '############',
  PL: '########################',
  SE: '####################',
  NO: '###########',
  AT: '################',
  IE: 'AAAA##############',
  PT: '#####################',
  DK: '##############',
  FI: '##############',
  AE: '###################',
  SA: '####################',
  TR: '######################',
};

/** Phone numbers in the formats of many countries. `loose` formats are phone numbers only near a word such as "phone". */
export const PHONES = {
  telling: [
    '+1 N## N## ####',
    '+1-N##-N##-####',
    '+1 (N##) N##-####',
    '(N##) N##-####',
    'N##-N##-####',
    '+1N##N######',
    '+44 20 7### ####',
    '+44 7### ######',
    '+49 30 #######',
    '+49 (0)89 ######',
    '+49 151 ########',
    '+33 6 ## ## ## ##',
    '+33 (0)1 ## ## ## ##',
    '+34 6## ### ###',
    '+39 06 #### ####',
    '+31 6 ########',
    '+41 44 ### ## ##',
    '+46 70-### ## ##',
    '+47 4## ## ###',
    '+45 ## ## ## ##',
    '+48 5## ### ###',
    '+91 9#### #####',
    '+91-98########',
    '+86 138 #### ####',
    '+81 90-####-####',
    '+55 11 9####-####',
    '+52 55 #### ####',
    '+61 4## ### ###',
    '+27 82 ### ####',
    '+971 50 ### ####',
    '+65 9### ####',
    '+82 10-####-####',
    '+380 67 ### ## ##',
    '+420 6## ### ###',
    '+353 8# ### ####',
    '001-N##-N##-####',
    'N##.N##.####',
    '(N##)N##-####x####',
    '+1-N##-N##-#### ext. ###',
    '0044 7### ######',
    '+7 9## ###-##-##',
    '+90 5## ### ## ##',
    '+234 80# ### ####',
  ],
  loose: [
    '07### ######',
    '020 7### ####',
    '0171 #######',
    '030/########',
    '06 ## ## ## ##',
    '01.##.##.##.##',
    '6## ### ###',
    '## ## ## ##',
    '08-### ### ##',
    '9#### #####',
    '(0#) #### ####',
    '04## ### ###',
    '### ####',
    'N##N######',
    '138########',
    '090-####-####',
    '(11) 9####-####',
    '5## ### ###',
    '0N## ### ## ##',
    'N## N## ####',
  ],
};
const FIRST = [
  'Ana',
  'Bruno',
  'Chiara',
  'Derya',
  'Emil',
  'Fatima',
  'Goran',
  'Hana',
  'Ivo',
  'Jana',
  'Kofi',
  'Lena',
  'Mateo',
  'Nadia',
  'Omar',
  'Petra',
  'Rosa',
  'Sean',
  'Tara',
  'Uma',
];
const LAST = [
  'Alvarez',
  'Berg',
  'Costa',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Hansen',
  'Ito',
  'Jansen',
  'Khan',
  'Larsen',
  'Moreau',
  'Novak',
  'Okafor',
  'Patel',
  'Rossi',
  'Silva',
  'Tanaka',
  'Weber',
];
const DOMAINS = [
  'example.com',
  'mail.example.org',
  'acme.io',
  'corp.example.co.uk',
  'firma.de',
  'boite.fr',
  'posta.it',
  'outlook.com',
  'gmail.com',
  'uni-x.edu',
  'gov.example.gov',
  'startup.dev',
  'yahoo.co.jp',
];

/** Creates generators of values of all types, from one random number generator. */
export function values(rng) {
  const { pick, fill, int, chance } = rng;
  const first = () => pick(FIRST);
  const last = () => pick(LAST);
  const card = () => {
    const body = fill(pick(CARDS)).slice(0, -1);
    return body + luhnDigit(body);
  };
  const iban = () => {
    const country = pick(Object.keys(IBANS));
    const body = fill(IBANS[country]);
    const numeric = [...`${body}${country}00`].map((c) => (/\d/.test(c) ? c : c.charCodeAt(0) - 55)).join('');
    return country + String(98n - (BigInt(numeric) % 97n)).padStart(2, '0') + body;
  };
  return {
    first,
    last,
    card,
    iban,
    name: () => `${first()} ${last()}`,
    email: () => {
      const [a, b] = [first().toLowerCase(), last().toLowerCase()];
      return `${pick([`${a}.${b}`, `${a[0]}${b}`, `${a}_${b}${int(1, 99)}`, `${a}+news`, a, `${b}-${a}`, `${a}${int(1970, 2005)}`])}@${pick(DOMAINS)}`;
    },
    groupedCard: () => {
      const digits = card();
      const groups = digits.length === 15 ? [4, 6, 5] : digits.length === 14 ? [4, 6, 4] : [4, 4, 4, 4];
      let at = 0;
      const separator = pick([' ', '-', ' ']);
      const parts = groups.map((size) => {
        at += size;
        return digits.slice(at - size, at);
      });
      return parts.join(separator);
    },
    spacedIban: () => iban().replace(/(.{4})(?=.)/g, '$1 '),
    ssn: () =>
      `${String(pick([int(1, 665), int(667, 899)])).padStart(3, '0')}-${String(int(1, 99)).padStart(2, '0')}-${String(int(1, 9999)).padStart(4, '0')}`,
    phone: () => fill(pick(PHONES.telling)),
    localPhone: () => fill(pick(PHONES.loose)),
    ip: () =>
      chance(0.75)
        ? `${pick([int(11, 99), int(101, 126), int(128, 168), int(173, 191), int(204, 223)])}.${int(0, 255)}.${int(20, 255)}.${int(1, 254)}`
        : pick([
            fill('2a01:hhhh:hhhh:hhhh:hhhh:hhhh:hhhh:hhhh'),
            fill('2a02:hhhh:hhh::1'),
            fill('2600:1f18::hhhh:hhhh:hhhh:hhhh'),
          ]),
    uuid: () => fill('hhhhhhhh-hhhh-4hhh-ahhh-hhhhhhhhhhhh'),
    sha: () => fill('h'.repeat(40)),
    epoch: () => int(1_600_000_000, 1_760_000_000),
    iso: () => new Date(int(1_600_000_000, 1_760_000_000) * 1000).toISOString(),
  };
}
