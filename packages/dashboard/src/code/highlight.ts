import { classHighlighter, highlightCode } from '@lezer/highlight';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';

/** A piece of a line with one colour. */
export interface Token {
  readonly text: string;
  readonly className: string;
}

const typescript = javascript.configure({ dialect: 'ts' });
/** Longer programs have no colours: the parser would block the page. */
const MAX_HIGHLIGHTED = 200_000;
/** So has a line with more tokens: the browser would need seconds for its elements. */
const MAX_TOKENS = 2_000;

/** Splits a program into lines of coloured tokens. */
export function highlight(source: string, language: string): readonly (readonly Token[])[] {
  if (source.length > MAX_HIGHLIGHTED) return source.split('\n').map((text) => (text === '' ? [] : [plain(text)]));
  const lines: Token[][] = [[]];
  const tree = (language === 'python' ? python : typescript).parse(source);
  highlightCode(
    source,
    tree,
    classHighlighter,
    (text, className) => lines.at(-1)?.push({ text, className }),
    () => lines.push([]),
  );
  return lines.map((line) => (line.length > MAX_TOKENS ? [plain(line.map(({ text }) => text).join(''))] : line));
}

function plain(text: string): Token {
  return { text, className: '' };
}
