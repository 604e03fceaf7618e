import { isLuhn } from '../checksums.ts';

/** A national number: it follows one of its names and has a valid check digit. */
export interface NationalRule {
  readonly names: string;
  readonly pattern: RegExp;
  /** Checks the number in upper case without separators. */
  readonly valid: (number: string) => boolean;
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);
}

/** Returns the check letter by remainder, as in Spain and Finland. */
function letterAt(letters: string, value: number): string | undefined {
  return letters[value % letters.length];
}

const varied = (digits: string) => !/^(\d)\1*$/.test(digits);

/** Checks the two check digits of Brazil's CPF. */
function isCpf(digits: string): boolean {
  const check = (size: number) => {
    const sum = weighted(
      digits,
      Array.from({ length: size }, (_, index) => size + 1 - index),
    );
    return ((sum * 10) % 11) % 10 === Number(digits[size]);
  };
  return varied(digits) && check(9) && check(10);
}

/** Checks ISO 7064 MOD 11,10 of Germany's tax number. */
function isGermanTaxNumber(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return digits[0] !== '0' && (11 - product) % 10 === Number(digits[10]);
}

/** Checks the Verhoeff digit of India's Aadhaar: a product in the dihedral group of order 10. */
function isAadhaar(digits: string): boolean {
  const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  const times = (a: number, b: number) => {
    const mirrored = a > 4;
    const turned = mirrored ? (a - (b % 5) + 5) % 5 : (a + b) % 5;
    return mirrored !== b > 4 ? 5 + (turned % 5) : turned;
  };
  let check = 0;
  for (let index = 0; index < 12; index++) {
    let digit = Number(digits[11 - index]);
    for (let turn = 0; turn < index % 8; turn++) digit = permutation[digit] ?? 0;
    check = times(check, digit);
  }
  return digits[0] !== '0' && digits[0] !== '1' && check === 0;
}

/** Checks the letter of Singapore's NRIC: for citizens (S, T), foreigners (F, G) and the series M. */
function isSingaporean(number: string): boolean {
  const series = number[0] ?? '';
  const offset = series === 'T' || series === 'G' ? 4 : series === 'M' ? 3 : 0;
  const letters = 'ST'.includes(series) ? 'JZIHGFEDCBA' : series === 'M' ? 'XWUTRQPNJLK' : 'XWUTRQPNMLK';
  return letters[(weighted(number.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11] === number[8];
}

/** The values of characters at odd places of Italy's code. Digits share the values of the first ten letters. */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isItalian(code: string): boolean {
  let sum = 0;
  for (let index = 0; index < 15; index++) {
    const character = code.charCodeAt(index);
    const value = character < 65 ? character - 48 : character - 65;
    sum += index % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return code.charCodeAt(15) === 65 + (sum % 26);
}

function isTurkish(number: string): boolean {
  const digits = [...number].map(Number);
  const odd = weighted(number, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weighted(number, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return digits[9] === tenth && digits[10] === (odd + even + tenth) % 10;
}

/** Checks Chile's RUT: weights 2 to 7 from the right; K stands for 10. */
function isChilean(number: string): boolean {
  const body = number.slice(0, -1);
  let sum = 0;
  for (let index = 0; index < body.length; index++) sum += Number(body[body.length - 1 - index]) * (2 + (index % 6));
  return varied(body) && '0K987654321'[sum % 11] === number.at(-1);
}

const SPANISH = 'TRWAGMYFPDXBNJZSQVHLCKE';
const FINNISH = '0123456789ABCDEFHJKLMNPRSTUVWXY';

/** The national numbers that are found. Most have a check digit; the others are found by their form. */
export const NATIONAL_RULES: readonly NationalRule[] = [
  {
    names: 'nino|national insurance',
    pattern: /[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]/i,
    valid: (n) => !/^(?:[DFIQUV]|.[DFIOQUV]|BG|GB|KN|NK|NT|TN|ZZ)/.test(n),
  },
  {
    names: 'nhs',
    pattern: /\d{3}[ -]?\d{3}[ -]?\d{4}/,
    valid: (n) => varied(n) && (weighted(n, [10, 9, 8, 7, 6, 5, 4, 3, 2]) + Number(n[9])) % 11 === 0,
  },
  {
    names: 'dni|nif|nie',
    pattern: /(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]/i,
    valid: (n) =>
      letterAt(SPANISH, Number(n.slice(0, -1).replace(/^[XYZ]/, (l) => String('XYZ'.indexOf(l))))) === n.at(-1),
  },
  { names: 'cpf', pattern: /\d{3}\.?\d{3}\.?\d{3}-?\d{2}/, valid: isCpf },
  {
    names: 'pesel',
    pattern: /\d{11}/,
    valid: (n) => varied(n) && weighted(n, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  },
  {
    names: 'bsn|burgerservicenummer',
    pattern: /\d{9}/,
    valid: (n) => varied(n) && weighted(n, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  },
  { names: 'aadhaar|aadhar|uidai', pattern: /\d{4}[ -]?\d{4}[ -]?\d{4}/, valid: isAadhaar },
  {
    names: 'idnr|steuer-?id|steueridentifikationsnummer|steuerliche identifikationsnummer',
    pattern: /\d{2} ?\d{3} ?\d{3} ?\d{3}/,
    valid: isGermanTaxNumber,
  },
  {
    names: 'insee|nir|sécurité sociale|sécu',
    pattern: /[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/i,
    // The departments of Corsica, 2A and 2B, count as 19 and 18.
    valid: (n) => 97 - (Number(n.slice(0, 13).replace('2A', '19').replace('2B', '18')) % 97) === Number(n.slice(13)),
  },
  {
    names: 'sin|social insurance',
    pattern: /\d{3}[ -]?\d{3}[ -]?\d{3}/,
    valid: (n) => varied(n) && n[0] !== '0' && n[0] !== '8' && isLuhn(n),
  },
  {
    names: 'tfn|tax file number',
    pattern: /\d{3} ?\d{3} ?\d{3}/,
    valid: (n) => varied(n) && weighted(n, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
  },
  {
    names: 'hetu|henkilötunnus',
    pattern: /\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]/i,
    valid: (n) => letterAt(FINNISH, Number(n.replace(/[-+A-FU-Y](?=\d{3}.$)/, '').slice(0, 9))) === n.at(-1),
  },
  {
    names: 'ahv|avs',
    pattern: /756\.?\d{4}\.?\d{4}\.?\d{2}/,
    valid: (n) => (10 - (weighted(n, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(n[12]),
  },
  {
    names: 'nric',
    pattern: /[STFGM]\d{7}[A-Z]/i,
    valid: isSingaporean,
  },
  {
    names: 'codice fiscale|codicefiscale',
    pattern: /[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]/i,
    valid: isItalian,
  },
  {
    names: 'fødselsnummer|fodselsnummer|personnr',
    pattern: /\d{6} ?\d{5}/,
    valid: (n) =>
      weighted(n, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
      weighted(n, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  },
  {
    names: 'rijksregisternummer|rijksregister|registre national|niss|insz',
    pattern: /\d{2}[.]?\d{2}[.]?\d{2}[- ]?\d{3}[. ]?\d{2}/,
    // For births from 2000 on, the check prepends a 2.
    valid: (n) => ['', '2'].some((before) => 97 - (Number(before + n.slice(0, 9)) % 97) === Number(n.slice(9))),
  },
  { names: 'tckn|tc kimlik|kimlik', pattern: /[1-9]\d{10}/, valid: isTurkish },
  {
    names: 'resident identity|身份证|shenfenzheng',
    pattern: /\d{6}(?:19|20)\d{9}[0-9X]/i,
    valid: (n) => '10X98765432'[weighted(n, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11] === n[17],
  },
  { names: 'rut', pattern: /\d{1,2}\.?\d{3}\.?\d{3}-?[\dK]/i, valid: isChilean },
  { names: 'sa id|south african id', pattern: /\d{6} ?\d{4} ?[01]\d{2}/, valid: (n) => varied(n) && isLuhn(n) },
  { names: 'personnummer', pattern: /(?:\d{2})?\d{6}[-+]?\d{4}/, valid: (n) => isLuhn(n.slice(-10)) },
];
