const UNDERSCORE = 95;

/** Checks for a digit, `0` to `9`. */
export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Checks for a letter, digit or `_`. After normalisation, other characters up to the ideographs count as letters. */
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
 * Checks whether a number may start at a position: not at the end of an identifier, decimal, path, version, amount of money
 * or fraction.
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
      return (!isWord(further) && further !== 47 && further !== 46) || endsWithLabel(text, position - 1);
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

/** Checks for a label that a point or hyphen joins to a number: "Tel.030", "Fax-555", "/cards/4539…". */
function endsWithLabel(text: string, end: number): boolean {
  return /(?<![\w.-])(?:tel|tél|telefon|phone|ph|fax|mob|mobile|cell|call|ssn|iban|cards?|no|nr)$/i.test(
    text.slice(Math.max(0, end - 10), end),
  );
}

/** Checks whether a number may end at a position: the next characters do not continue it. */
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
