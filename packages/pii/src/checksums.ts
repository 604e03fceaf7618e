/** Lengths of IBANs by country, from the public registry. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18
  FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24
  SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Countries whose account numbers have digits only. */
const NUMERIC_IBANS: ReadonlySet<string> = new Set(
  'AE AT BA BE CZ DE DK EE ES FI HR HU IL IS LT ME NO PL PT RS SE SI SK TN VA XK'.split(' '),
);

/** How many characters an IBAN of a country has; undefined when the country has none. */
export function ibanLength(country: string): number | undefined {
  return Object.hasOwn(IBAN_LENGTHS, country) ? IBAN_LENGTHS[country] : undefined;
}

/** ISO 13616: the remainder by 97 is 1. Takes upper-case letters and digits only. */
export function isIban(compact: string): boolean {
  if (compact.length !== ibanLength(compact.slice(0, 2))) return false;
  if (NUMERIC_IBANS.has(compact.slice(0, 2)) && !/^\d+$/.test(compact.slice(2))) return false;
  let remainder = 0;
  for (let index = 0; index < compact.length; index++) {
    const code = compact.charCodeAt((index + 4) % compact.length);
    remainder = code < 58 ? (remainder * 10 + code - 48) % 97 : (remainder * 100 + code - 55) % 97;
  }
  return remainder === 1;
}

/** The check digit of payment cards and many other numbers, of the digits in a part of a text; other characters are skipped. */
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

/** First and last prefix of four digits of issuers whose numbers are cards by themselves, with the numbers' lengths. */
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

/** Whether an issuer of 14 to 19 digits has the number's range; rarer ones are known by a word beside them. */
export function isIssued(digits: string): boolean {
  if (digits.length < 14) return false;
  const prefix = Number(digits.slice(0, 4));
  for (const [first, last, lengths] of ISSUERS) {
    if (prefix >= first && prefix <= last && lengths.includes(digits.length)) return true;
  }
  return false;
}

/** Whether the Social Security Administration can have issued it; with `loose`, taxpayer numbers (9xx) too. */
export function isSsn(digits: string, loose: boolean): boolean {
  const area = digits.slice(0, 3);
  if (area === '000' || area === '666' || digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false;
  return loose || area < '900';
}
