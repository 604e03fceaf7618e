import { getCountrySpecifications, ValidationErrorsIBAN, validateIBAN } from 'ibantools';

const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries(getCountrySpecifications()).flatMap(([country, { chars }]) => (chars ? [[country, chars]] : [])),
);

/** Returns the number of characters in an IBAN of a country, or undefined if the country has no IBANs. */
export function ibanLength(country: string): number | undefined {
  return IBAN_LENGTHS.get(country);
}

/**
 * Checks length, structure and ISO 13616 check digits. Accepts upper-case letters and digits only. Ignores the
 * national check digits inside of account numbers: test data often has wrong ones, and is redacted too.
 */
export function isIban(compact: string): boolean {
  return validateIBAN(compact).errorCodes.every((code) => code === ValidationErrorsIBAN.WrongAccountBankBranchChecksum);
}

/** Checks the Luhn digit of payment cards and other numbers. Skips characters that are not digits. */
export function isLuhn(text: string, start = 0, end: number = text.length): boolean {
  let sum = 0;
  let doubled = false;
  for (let at = end - 1; at >= start; at--) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) continue;
    sum += doubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
    doubled = !doubled;
  }
  return sum % 10 === 0;
}

/** First and last four-digit prefix of card issuers, with the lengths of their numbers. */
const ISSUERS: readonly (readonly [number, number, readonly number[]])[] = [
  [4000, 4999, [16, 19]],
  [5100, 5599, [16]],
  [2221, 2720, [16]],
  [3400, 3499, [15]],
  [3700, 3799, [15]],
  [3000, 3059, [14]],
  [3090, 3099, [14]],
  [3600, 3699, [14]],
  [3800, 3999, [14]],
  [6000, 6099, [16]],
  [6440, 6599, [16]],
  [8100, 8299, [16]],
  [5080, 5089, [16]],
  [6200, 6299, [16, 17, 18, 19]],
  [3528, 3589, [16, 17, 18, 19]],
  [2200, 2204, [16, 17, 18, 19]],
  [9792, 9792, [16, 17, 18, 19]],
  [5060, 5061, [16, 17, 18, 19]],
  [6500, 6509, [16, 17, 18, 19]],
];

/** Checks whether a card issuer has the range of a number of 14 to 19 digits. Other cards need a word next to them. */
export function isIssued(digits: string): boolean {
  if (digits.length < 14) return false;
  const prefix = Number(digits.slice(0, 4));
  for (const [first, last, lengths] of ISSUERS) {
    if (prefix >= first && prefix <= last && lengths.includes(digits.length)) return true;
  }
  return false;
}

/** Checks for a possible social security number; with `loose`, also for taxpayer numbers (9xx). */
export function isSsn(digits: string, loose: boolean): boolean {
  const area = digits.slice(0, 3);
  if (area === '000' || area === '666' || digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false;
  return loose || area < '900';
}
