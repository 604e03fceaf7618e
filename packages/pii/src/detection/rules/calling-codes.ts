/** Country calling codes (ITU-T E.164) of three digits, and shorter ones. */
const THREE_DIGITS =
  /^(?:21[12368]|22\d|23\d|24\d|25[0-8]|26\d|29[01789]|35\d|37\d|38[01235679]|42[013]|50\d|59\d|67[02-9]|68\d|69[0-2]|8(?:00|08|5[02356]|7[08]|8[0-368])|96[0-8]|97[0-79]|99[2-68])/;
const SHORT = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** The most digits of a whole number, as `code:digits`, for countries with fewer than the 15 of the standard. */
const MAX_DIGITS: ReadonlyMap<string, number> = new Map(
  `1:11 7:11 20:12 27:11 30:12 31:11 32:11 33:11 34:11 36:11 39:13 40:11 41:11 43:14 44:12 45:10 46:12 47:10 48:11 49:14 51:11
  52:13 54:13 55:13 56:11 57:12 58:12 60:12 61:11 62:14 63:12 64:12 65:10 66:11 81:12 82:12 84:12 86:13 90:12 91:12 92:12 98:12
  234:13 254:12 351:12 353:12 358:13 380:12 420:12 421:12 852:11 880:13 886:12 966:12 971:12 972:12`
    .split(/\s+/)
    .map((entry) => entry.split(':'))
    .map(([code = '', digits]) => [code, Number(digits)]),
);
const MOST = 15;

/** Returns the number of leading digits that are an existing calling code, or 0. */
export function callingCodeLength(digits: string): number {
  if (THREE_DIGITS.test(digits)) return 3;
  const short = SHORT.exec(digits);
  return short ? short[0].length : 0;
}

/** Returns the most digits of a number with this calling code, including the code. */
export function maxDigitsOf(code: string): number {
  return MAX_DIGITS.get(code) ?? MOST;
}
