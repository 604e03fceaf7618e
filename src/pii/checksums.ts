/** Lengths of IBANs by country, from the public registry. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18
  FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24
  SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** How many characters an IBAN of a country has; undefined when the country has none. */
export function ibanLength(country: string): number | undefined {
  return Object.hasOwn(IBAN_LENGTHS, country) ? IBAN_LENGTHS[country] : undefined;
}

/** ISO 13616: the remainder by 97 is 1. Takes upper-case letters and digits only. */
export function isIban(compact: string): boolean {
  if (compact.length !== ibanLength(compact.slice(0, 2))) return false;
  let remainder = 0;
  for (let index = 0; index < compact.length; index++) {
    const code = compact.charCodeAt((index + 4) % compact.length);
    remainder = code < 58 ? (remainder * 10 + code - 48) % 97 : (remainder * 100 + code - 55) % 97;
  }
  return remainder === 1;
}

/** The check digit of payment cards and many other numbers. */
export function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    sum += index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** Prefixes and lengths of issuers whose numbers are cards by themselves. */
const ISSUERS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(?:30[0-5]|309|36\d|38\d|39\d)\d{11}$/,
  /^(?:6011|64[4-9]\d|65\d\d|60\d\d|81\d\d|82\d\d|508\d)\d{12}$/,
  /^62\d{14,17}$/,
  /^(?:352[89]|35[3-8]\d)\d{12,15}$/,
  /^220[0-4]\d{12,15}$/,
  /^(?:9792|506[01]|650\d)\d{12,15}$/,
];

/** Whether an issuer of 14 to 19 digits has the number's range; rarer ones are known by a word beside them. */
export function isIssued(digits: string): boolean {
  return digits.length >= 14 && ISSUERS.some((issuer) => issuer.test(digits));
}

/** Whether the Social Security Administration can have issued it; with `loose`, taxpayer numbers (9xx) too. */
export function isSsn(digits: string, loose: boolean): boolean {
  const area = digits.slice(0, 3);
  if (area === '000' || area === '666' || digits.slice(3, 5) === '00' || digits.slice(5) === '0000') return false;
  return loose || area < '900';
}
