const ESCAPE =
  /\\(?:(\n)|([\\'"])|([abfnrtv])|([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(N\{[^}]*\}))/g;
const LETTERS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Returns the text of a Python string literal. Undefined if it has a character by its name. */
export function unescaped(body: string): string | undefined {
  let isKnown = true;
  const text = body.replaceAll(ESCAPE, (_all, line, plain, letter, octal, byte, unit, long, named) => {
    if (line !== undefined) return '';
    if (plain !== undefined) return plain;
    if (letter !== undefined) return LETTERS[letter] ?? '';
    if (named !== undefined) isKnown = false;
    const code = octal === undefined ? Number.parseInt(byte ?? unit ?? long ?? '0', 16) : Number.parseInt(octal, 8);
    if (code > 0x10ffff) isKnown = false;
    return isKnown ? String.fromCodePoint(code) : '';
  });
  return isKnown ? text : undefined;
}
