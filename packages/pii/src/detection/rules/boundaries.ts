const UNDERSCORE = 95;

/** A digit, `0` to `9`. */
export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** A letter, a digit or `_`; everything outside ASCII that normalisation left counts as a letter up to the ideographs. */
export function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === UNDERSCORE ||
    (code >= 0xc0 && code < 0x2e80 && !(code >= 0x2000 && code < 0x2c00))
  );
}

/**
 * Whether a number may start at a position: it is not the tail of an identifier, a decimal, a path, a version, an amount of
 * money or a fraction.
 */
export function opensAt(text: string, position: number): boolean {
  if (position === 0) return true;
  const before = text.charCodeAt(position - 1);
  if (isWord(before)) return false;
  const further = position > 1 ? text.charCodeAt(position - 2) : 32;
  switch (text[position - 1]) {
    case '-':
      return !isWord(further) || endsWithLabel(text, position - 1);
    case '.':
      return (!isWord(further) && !isBracket(further)) || endsWithLabel(text, position - 1);
    case '/':
      return !isWord(further) && further !== 47 && further !== 46;
    case ':':
    case ',':
      return true;
    case '$':
    case '€':
    case '£':
    case '@':
    case '~':
    case '^':
    case '%':
    case '\\':
      return false;
    default:
      return true;
  }
}

function isBracket(code: number): boolean {
  return code === 40 || code === 41 || code === 91 || code === 93 || code === 123 || code === 125;
}

/** A short word that is glued to a number by a point or a hyphen, as in "Tel.030" and "Fax-555". */
function endsWithLabel(text: string, end: number): boolean {
  return /(?<![\w.-])(?:tel|tél|telefon|phone|ph|fax|mob|mobile|cell|call|ssn|iban|card|no|nr)$/i.test(
    text.slice(Math.max(0, end - 10), end),
  );
}

/** Whether a number may end at a position: what follows does not go on with it. */
export function closesAt(text: string, position: number): boolean {
  if (position >= text.length) return true;
  const next = text.charCodeAt(position);
  if (isWord(next)) return false;
  const further = position + 1 < text.length ? text.charCodeAt(position + 1) : 32;
  switch (text[position]) {
    case '-':
    case '/':
      return !isWord(further);
    case '.':
      return !isDigit(further);
    case '@':
    case '%':
    case '°':
      return false;
    default:
      return true;
  }
}
