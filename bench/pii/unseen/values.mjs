// Values for the texts of this folder. They are made apart from the rules and from ../random.mjs: other names, domains and formats.

const FIRST = [
  'Marguerite',
  'Dmitri',
  'Aoife',
  'Thandiwe',
  'Kenji',
  'Søren',
  'Priya',
  'Lukas',
  'Xiomara',
  'Reginald',
  'Zeynep',
  'Wes',
];
const LAST = [
  'Okonkwo',
  'Baumgartner',
  "O'Sullivan",
  'Lefèvre',
  'Marchetti',
  'Nakamura',
  'Van der Berg',
  'Castellanos',
  'Whitfield',
  'Kowalczyk',
  'Bui',
  'Sharma',
];
const HOSTS = [
  'gmail.com',
  'outlook.co.uk',
  'protonmail.ch',
  'web.de',
  'orange.fr',
  'hotmail.es',
  'stanford.edu',
  'lakeside-dental.com',
  'kpn.nl',
  'libero.it',
  'northwind.io',
  'icloud.com',
  'me.com',
  'sapo.pt',
  'bigpond.net.au',
];

/** Formats of phones by country: `+` forms first, national forms behind `|`. */
const PHONES = {
  us: '+1 N##-N##-####;+1N##N######;+1 (N##) N##-####|(N##) N##-####;N##-N##-####;N##.N##.####;N##N######;1-N##-N##-####',
  gb: '+44 7### ### ###;+44 20 #### ####;+447#########|07### ######;020 7### ####;01### ######;(0161) 496 ####',
  de: '+49 176 ########;+49 30 ######-##;+4915#########|0176 ########;030 - ### ## ##;0151/########;(089) ######;0221-#######',
  fr: '+33 6 ## ## ## ##;+336########;+33(0)1 ## ## ## ##|06 ## ## ## ##;01.##.##.##.##;07-##-##-##-##;06########',
  es: '+34 6## ## ## ##;+34 91 ### ## ##|6## ### ###;91# ## ## ##;6########',
  it: '+39 3## #######;+39 02 ########|3## ### ####;02 #######;06/########',
  nl: '+31 6 ## ## ## ##;+316########|06-########;020-#######;06 ########',
  pt: '+351 91# ### ###;+351 21 ### ####|91# ### ###;21 ### ## ##',
  br: '+55 (11) 9####-####;+55 21 9########|(11) 9####-####;21 9####-####',
  in: '+91 9#### #####;+91-80-########|098#### #####;9#########',
  au: '+61 4## ### ###;+61 2 #### ####|04## ### ###;(02) #### ####',
  tr: '+90 53# ### ## ##;+90212#######|053# ### ## ##;0212 ### ## ##',
  se: '+46 70 ### ## ##|070-### ## ##;08-### ### ##',
  pl: '+48 6## ### ###|6## ### ###;22 ### ## ##',
  ch: '+41 79 ### ## ##|079 ### ## ##;044 ### ## ##',
};

const CARDS = [
  '4###############',
  '5N##############',
  '3400###########',
  '6011############',
  '3530############',
  '3605##########',
];
const IBANS = {
  DE: '##################',
  FR: '####################A##',
  GB: 'AAAA##############',
  ES: '####################',
  NL: 'AAAA##########',
  IT: 'A######################',
  PT: '#####################',
  CH: '#################',
  BE: '############',
};

const luhn = (body) => {
  const sum = [...body].reverse().reduce((all, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return all + (value > 9 ? value - 9 : value);
  }, 0);
  return body + ((10 - (sum % 10)) % 10);
};
const weighted = (body, weights) => [...body].reduce((sum, digit, index) => sum + Number(digit) * weights[index], 0);
const groups = (text, sizes, by) =>
  sizes
    .map((size, index) => {
      const start = sizes.slice(0, index).reduce((sum, one) => sum + one, 0);
      return text.slice(start, start + size);
    })
    .filter(Boolean)
    .join(by);

/** National numbers with their check digits. */
const NATIONAL = {
  es: ({ fill }) => {
    const number = fill('########');
    return number + 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23];
  },
  nl: ({ fill, int }) => {
    for (;;) {
      const body = fill('N#######');
      const digit = weighted(body, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
      if (digit < 10 && int(0, 1) >= 0) return body + digit;
    }
  },
  br: ({ fill }) => {
    const digit = (body) => {
      const rest =
        weighted(
          body,
          Array.from({ length: body.length }, (_, index) => body.length + 1 - index),
        ) % 11;
      return rest < 2 ? 0 : 11 - rest;
    };
    let body = fill('N########');
    body += digit(body);
    body += digit(body);
    return `${groups(body.slice(0, 9), [3, 3, 3], '.')}-${body.slice(9)}`;
  },
  gb: ({ fill }) => {
    for (;;) {
      const body = fill('4########');
      const rest = 11 - (weighted(body, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
      if (rest !== 10) return groups(body + (rest % 11), [3, 3, 4], ' ');
    }
  },
  pl: ({ fill, int }) => {
    const body = `${int(50, 99)}0${int(1, 9)}1${fill('#####')}`.slice(0, 10);
    return body + ((10 - (weighted(body, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
  },
  ca: ({ fill }) => groups(luhn(fill('N#######')), [3, 3, 3], ' '),
};

/** Creates the values of one document. */
export function unseenValues(rng) {
  const { pick, fill, int, chance } = rng;
  const plain = (name) =>
    name
      .normalize('NFD')
      .replaceAll(/[^A-Za-z]/g, '')
      .toLowerCase();
  const first = () => pick(FIRST);
  const last = () => pick(LAST);
  const two = (number) => String(number).padStart(2, '0');
  const user = () => {
    const [a, b] = [plain(first()), plain(last())];
    return pick([
      `${a}.${b}`,
      `${a[0]}${b}`,
      `${a}_${b}`,
      `${b}${int(10, 99)}`,
      `${a}-${b}`,
      `${a}.${b[0]}.${int(1, 9)}`,
      `${a}+work`,
      a,
    ]);
  };
  const phone = (country = pick(Object.keys(PHONES)), form = chance(0.5) ? 0 : 1) =>
    fill(pick(PHONES[country].split('|')[form].split(';')));
  const card = () => luhn(fill(pick(CARDS)).slice(0, -1));
  const iban = () => {
    const country = pick(Object.keys(IBANS));
    const body = fill(IBANS[country]);
    const digits = [...`${body}${country}00`].map((char) => Number.parseInt(char, 36)).join('');
    return country + two(98n - (BigInt(digits) % 97n)) + body;
  };
  const born = () => ({ year: int(1938, 2004), month: int(1, 12), day: int(1, 28) });
  const months = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ];
  return {
    first,
    last,
    user,
    phone,
    card,
    iban,
    born,
    months,
    host: () => pick(HOSTS),
    name: () => `${first()} ${last()}`,
    email: () => `${user()}@${pick(HOSTS)}`,
    cardGrouped: () => {
      const digits = card();
      return groups(digits, digits.length === 16 ? [4, 4, 4, 4] : [4, 6, 5], pick([' ', '-']));
    },
    ibanGrouped: () => iban().replaceAll(/(.{4})(?=.)/g, '$1 '),
    ssn: () => `${pick([int(100, 665), int(667, 899)])}-${two(int(1, 99))}-${String(int(1, 9999)).padStart(4, '0')}`,
    ip: () =>
      `${pick([23, 34, 52, 81, 92, 104, 139, 151, 185, 194, 213])}.${int(0, 255)}.${int(0, 255)}.${int(1, 254)}`,
    ip6: () =>
      fill(pick(['2a02:8109:hhhh:hh00::hhhh', '2001:4860:hhhh::8hh', '2604:a880:hhh:hhhh:hhhh:hhhh:hhhh:hhhh'])),
    mac: () => fill(pick(['a4:5e:60:hh:hh:hh', 'b8-27-eb-hh-hh-hh', 'f0d5.bfhh.hhhh'])),
    passport: () => fill(pick(['########', 'A########', 'C0#A#####'])),
    national: (country) => NATIONAL[country](rng),
    dob: (form) => {
      const { year, month, day } = born();
      if (form === 'compact') return `${year}${two(month)}${two(day)}`;
      if (form === 'us') return `${two(month)}/${two(day)}/${year}`;
      if (form === 'eu') return `${two(day)}.${two(month)}.${year}`;
      if (form === 'uk') return `${two(day)}/${two(month)}/${year}`;
      if (form === 'long') return pick([`${months[month - 1]} ${day}, ${year}`, `${day} ${months[month - 1]} ${year}`]);
      return `${year}-${two(month)}-${two(day)}`;
    },
  };
}
