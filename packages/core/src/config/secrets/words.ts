/**
 * Splits a command line into words, as a shell does for plain words and quotes. Nothing is expanded: no variables, no
 * globs, no pipes. Returns undefined for an open quote.
 */
export function commandWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const [word] = /^(?:[^\s"']+|"[^"]*"|'[^']*')+/.exec(rest) ?? [];
    if (word === undefined || (rest.length > word.length && !/\s/.test(rest.charAt(word.length)))) return undefined;
    words.push(
      word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
    );
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}
