/** A text whose author is trusted, such as the request of the user. */
export interface TrustedText {
  /**
   * Returns whether the text has a value as a whole: not as a part of a longer word, address, path or number. A number under four digits
   * counts only after a word that names it: one of `labels`, `id`, `number` or `#`.
   */
  has(value: string, labels?: readonly string[]): boolean;
}

const SHORT_NUMBER = /^\d{1,3}$/;
/** Signs that continue a word, an address or a path. */
const BEFORE = /[\p{L}\p{N}_@.+\-/\\%]$/u;
const AFTER = /^(?:[\p{L}\p{N}_@/\\?#=&%+~-]|[.:][\p{L}\p{N}_])/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\/(?:www\.)?/;
const BEFORE_ADDRESS = /(?:^|[^\p{L}\p{N}_@.+\-/\\%])(?:https?:\/\/)?(?:www\.)?$/u;
const SPACED_IBAN = /\b[a-z]{2}\d{2}(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,4})?\b/g;
/** A text without them has its letters in one form, and single spaces in it only. */
const NOT_PLAIN = /[^\x20-\x7e]|^ | $| {2}/;
const MAX_CHARACTERS = 200_000;
const MAX_VALUE = 2_000;
const LABELS = ['id', 'ids', 'no', 'nr', 'number', 'num'];

/** Reads a text. Texts over 200,000 characters are cut. */
export function trustedText(text: string): TrustedText {
  const plain = normal(text.slice(0, MAX_CHARACTERS));
  const joined = plain.replaceAll(SPACED_IBAN, (iban) => iban.replaceAll(' ', ''));
  const whole = joined === plain ? plain : `${plain}\n${joined}`;
  return {
    has(value, labels = []) {
      if (value.length > MAX_VALUE) return false;
      const wanted = normal(value);
      const isUrl = SCHEME.test(wanted);
      const address = isUrl ? wanted.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '') : wanted;
      if (address.length < 2 && !SHORT_NUMBER.test(address)) return false;
      const isAfter = SHORT_NUMBER.test(address) ? afterLabel([...LABELS, ...labels.map(normal)]) : undefined;
      for (let at = whole.indexOf(address); at >= 0; at = whole.indexOf(address, at + 1)) {
        const before = whole.slice(Math.max(0, at - 60), at);
        const after = whole
          .slice(at + address.length, at + address.length + 2)
          .replace(isUrl ? /^\/(?![\p{L}\p{N}])/u : /^$/, '');
        const starts = isUrl ? BEFORE_ADDRESS.test(before) : !BEFORE.test(before);
        if (starts && !AFTER.test(after) && (isAfter === undefined || isAfter(before))) return true;
      }
      return false;
    },
  };
}

/** Returns whether a text ends with a word that names the next number. */
function afterLabel(labels: readonly string[]): (before: string) => boolean {
  const known = new Set(labels);
  return (before) => {
    if (/#\s?$/.test(before)) return true;
    const [, word = ''] = /([\p{L}]+)[\s'":.=(]{1,4}$/u.exec(before) ?? [];
    return known.has(word) || known.has(word.replace(/s$/, ''));
  };
}

/** Returns a text in the form that is compared: case, spaces and forms of letters do not count. */
export function normal(text: string): string {
  if (!NOT_PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
