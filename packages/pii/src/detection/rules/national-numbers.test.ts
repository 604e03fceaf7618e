import { describe, expect, it } from 'vitest';
import { random } from '../../../../../bench/pii/random.mjs';
import { detectText } from '../documents/text.ts';

// The test makes numbers by the published rules: it tries check characters until the rule is true. The rules here are
// written differently from those in national-rules.ts, so that no mistake is in both.
const rng = random(20);
const digits = (count: number) => Array.from({ length: count }, () => rng.int(0, 9)).join('');
const date = () => `${String(rng.int(1, 28)).padStart(2, '0')}${String(rng.int(1, 12)).padStart(2, '0')}${digits(2)}`;
const dot = (number: string, weights: number[]) =>
  weights.reduce((sum, weight, at) => sum + weight * Number(number[at]), 0);
/** Returns the first valid number among all checks of a number of digits; if there is none, tries another body. */
function checked(body: () => string, size: number, right: (number: string) => boolean): string {
  for (;;) {
    const start = body();
    for (let check = 0; check < 10 ** size; check++) {
      const number = start + String(check).padStart(size, '0');
      if (right(number)) return number;
    }
  }
}
const luhn = (number: string) =>
  [...number].reverse().reduce((sum, digit, at) => sum + Number(at % 2 ? '0246813579'[Number(digit)] : digit), 0) %
    10 ===
  0;
const from = (letters: string, index: number) => letters[index] ?? '';

const MAKERS: Readonly<Record<string, () => string>> = {
  NINO: () => `${rng.pick(['AB', 'CE', 'HJ', 'JM', 'KP', 'WX', 'YZ'])}${digits(6)}${rng.pick([...'ABCD'])}`,
  'NHS number': () =>
    checked(
      () => rng.int(4, 7) + digits(8),
      1,
      (n) => dot(n, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    ),
  DNI: () => {
    const body = digits(8);
    return body + from('TRWAGMYFPDXBNJZSQVHLCKE', Number(body) % 23);
  },
  NIE: () => {
    const [letter, body] = [rng.int(0, 2), digits(7)];
    return from('XYZ', letter) + body + from('TRWAGMYFPDXBNJZSQVHLCKE', Number(letter + body) % 23);
  },
  CPF: () =>
    checked(
      () => digits(9),
      2,
      (n) =>
        [9, 10].every((size) => {
          const rest =
            dot(
              n,
              Array.from({ length: size }, (_, at) => size + 1 - at),
            ) % 11;
          return Number(n[size]) === (rest < 2 ? 0 : 11 - rest);
        }),
    ),
  PESEL: () =>
    checked(
      () => digits(10),
      1,
      (n) => dot(n, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    ),
  BSN: () =>
    checked(
      () => rng.int(1, 3) + digits(7),
      1,
      (n) => (dot(n, [9, 8, 7, 6, 5, 4, 3, 2]) - Number(n[8])) % 11 === 0,
    ),
  IdNr: () =>
    checked(
      () => rng.int(1, 9) + digits(9),
      1,
      (n) => {
        let carry = 10;
        for (const digit of n.slice(0, 10)) carry = (((carry + Number(digit)) % 10 || 10) * 2) % 11;
        return (carry + Number(n[10])) % 10 === 1;
      },
    ),
  NIR: () =>
    checked(
      () => `${rng.int(1, 2)}${digits(2)}0${rng.int(1, 9)}${rng.int(10, 95)}${digits(6)}`,
      2,
      (n) => BigInt(n.slice(0, 13)) % 97n === 97n - BigInt(n.slice(13)) && n.slice(13) > '00',
    ),
  SIN: () => checked(() => rng.int(1, 7) + digits(7), 1, luhn),
  TFN: () =>
    checked(
      () => digits(8),
      1,
      (n) => dot(n, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    ),
  HETU: () => {
    const [day, number] = [date(), String(rng.int(2, 899)).padStart(3, '0')];
    return `${day}${rng.pick(['-', 'A', '+'])}${number}${from('0123456789ABCDEFHJKLMNPRSTUVWXY', Number(day + number) % 31)}`;
  },
  AHV: () =>
    checked(
      () => `756${digits(9)}`,
      1,
      (n) => dot(n, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    ),
  NRIC: () => {
    const [series, body] = [rng.pick([...'STFG']), digits(7)];
    const sum = dot(body, [2, 7, 6, 5, 4, 3, 2]) + ('TG'.includes(series) ? 4 : 0);
    return series + body + from('ST'.includes(series) ? 'ABCDEFGHIZJ' : 'KLMNPQRTUWX', 10 - (sum % 11));
  },
  personnummer: () => checked(() => `${digits(2)}0${rng.int(1, 9)}${rng.int(10, 28)}${digits(3)}`, 1, luhn),
  fødselsnummer: () =>
    checked(
      date,
      5,
      (n) => dot(n, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 && dot(n, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    ),
  rijksregisternummer: () =>
    checked(
      () => `${digits(2)}0${rng.int(1, 9)}${rng.int(10, 28)}${digits(3)}`,
      2,
      (n) => Number(n.slice(9)) === 97 - (Number(n.slice(0, 9)) % 97),
    ),
  TCKN: () =>
    checked(
      () => rng.int(1, 9) + digits(8),
      2,
      (n) =>
        (7 * dot(n, [1, 0, 1, 0, 1, 0, 1, 0, 1]) + 9 * dot(n, [0, 1, 0, 1, 0, 1, 0, 1])) % 10 === Number(n[9]) &&
        dot(n, Array(10).fill(1)) % 10 === Number(n[10]),
    ),
  身份证: () => {
    const body = `110101${rng.int(1950, 2010)}0${rng.int(1, 9)}${rng.int(10, 28)}${digits(3)}`;
    const sum = [...body].reduce((total, digit, at) => total + Number(digit) * (2 ** (17 - at) % 11), 0);
    return body + from('10X98765432', sum % 11);
  },
  Aadhaar: () => checked(() => rng.int(2, 9) + digits(10), 1, verhoeff),
  'SA ID': () => checked(() => `${digits(2)}0${rng.int(1, 9)}${rng.int(10, 28)}${digits(4)}08`, 1, luhn),
  'codice fiscale': () => {
    const body = `${rng.pick(['RSSMRA', 'BNCLCU', 'VRDGPP'])}${digits(2)}${rng.pick([...'ABCDEHLMPRST'])}${rng.int(10, 28)}H${digits(3)}`;
    const even = (character: string) => Number.parseInt(character, 36) - (/\d/.test(character) ? 0 : 10);
    const sum = [...body].reduce((total, one, at) => total + (at % 2 ? even(one) : (ODD_PLACES.get(one) ?? 0)), 0);
    return body + from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', sum % 26);
  },
  RUT: () => {
    const body = String(rng.int(4_000_000, 25_000_000));
    const sum = [...body].reverse().reduce((total, digit, at) => total + Number(digit) * (2 + (at % 6)), 0);
    return `${body}-${from('0123456789K', (11 - (sum % 11)) % 11)}`;
  },
};
/** Verhoeff's tables as published. */
const TIMES =
  '0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210'.split(
    ' ',
  );
const TURNS = '0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258'.split(' ');
const verhoeff = (number: string) =>
  [...number]
    .reverse()
    .reduce((check, digit, at) => Number(TIMES[check]?.[Number(TURNS[at % 8]?.[Number(digit)])]), 0) === 0;
const ODD_PLACES = new Map(
  '0:1 1:0 2:5 3:7 4:9 5:13 6:15 7:17 8:19 9:21 A:1 B:0 C:5 D:7 E:9 F:13 G:15 H:17 I:19 J:21 K:2 L:4 M:18 N:20 O:11 P:3 Q:6 R:8 S:12 T:14 U:16 V:10 W:22 X:25 Y:24 Z:23'
    .split(' ')
    .map((entry) => [entry.slice(0, 1), Number(entry.slice(2))] as const),
);
const EACH = 200;

/** Returns the number with one changed digit. */
function broken(number: string): string {
  const places = [...number].flatMap((character, at) => (/\d/.test(character) ? [at] : []));
  const at = rng.pick(places) as number;
  return number.slice(0, at) + ((Number(number[at]) + rng.int(1, 9)) % 10) + number.slice(at + 1);
}

const isFound = (text: string) => detectText(text).some(({ type }) => type === 'NATIONAL_ID');

describe('numbers made by the published rules', () => {
  it.each(Object.keys(MAKERS))('%s', (name) => {
    const make = MAKERS[name] ?? (() => '');
    let right = 0;
    let wrong = 0;
    for (let round = 0; round < EACH; round++) {
      const number = make();
      if (isFound(`${name}: ${number}`)) right++;
      if (name !== 'NINO' && isFound(`${name}: ${broken(number)}`)) wrong++;
    }
    expect(right / EACH).toBeGreaterThanOrEqual(0.95);
    expect(wrong / EACH).toBeLessThanOrEqual(0.05);
  });

  it('a national insurance number has no check digit: prefixes that are not issued are refused', () => {
    for (const prefix of ['BG', 'GB', 'KN', 'NK', 'NT', 'TN', 'ZZ', 'DA', 'FA', 'QQ', 'UA', 'VA', 'AO']) {
      expect(isFound(`NINO: ${prefix}${digits(6)}A`)).toBe(false);
    }
  });
});
