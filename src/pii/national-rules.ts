import { isLuhn } from './checksums.ts';

/** A national number: found behind one of its names, taken when its check is right. */
export interface NationalRule {
  readonly names: string;
  readonly pattern: RegExp;
  /** Gets the number in upper case without separators. */
  readonly valid: (number: string) => boolean;
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);
}

/** A table of letters by remainder, as Spain and Finland use. */
function letterAt(letters: string, value: number): string | undefined {
  return letters[value % letters.length];
}

const varied = (digits: string) => !/^(\d)\1*$/.test(digits);

/** Two check digits of Brazil's CPF. */
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

/** ISO 7064 MOD 11,10, of Germany's tax number. */
function isGermanTaxNumber(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return digits[0] !== '0' && (11 - product) % 10 === Number(digits[10]);
}

/** Verhoeff's check, of India's Aadhaar: a product in the group of a pentagon's symmetries. */
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

const SPANISH = 'TRWAGMYFPDXBNJZSQVHLCKE';
const FINNISH = '0123456789ABCDEFHJKLMNPRSTUVWXY';

/** Countries whose check tells right numbers from wrong ones; those without a check are known by their form. */
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
    pattern: /[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}/,
    valid: (n) => 97 - (Number(n.slice(0, 13)) % 97) === Number(n.slice(13)),
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
    pattern: /\d{6}[-+A]\d{3}[0-9A-Y]/i,
    valid: (n) => letterAt(FINNISH, Number(n.replace(/[-+A](?=\d{3}.$)/, '').slice(0, 9))) === n.at(-1),
  },
  {
    names: 'ahv|avs',
    pattern: /756\.?\d{4}\.?\d{4}\.?\d{2}/,
    valid: (n) => (10 - (weighted(n, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(n[12]),
  },
  {
    names: 'nric',
    pattern: /[ST]\d{7}[A-Z]/i,
    valid: (n) => 'JZIHGFEDCBA'[(weighted(n.slice(1), [2, 7, 6, 5, 4, 3, 2]) + (n[0] === 'T' ? 4 : 0)) % 11] === n[8],
  },
  { names: 'personnummer', pattern: /(?:\d{2})?\d{6}[-+]?\d{4}/, valid: (n) => isLuhn(n.slice(-10)) },
];
