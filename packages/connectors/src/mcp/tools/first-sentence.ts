/** Characters of a text that are read. */
const MAX_READ = 20_000;
/** A paragraph with fewer words is a label: `Overview`, `Available tools:`. */
const MIN_WORDS = 3;
/** An end mark, and no abbreviation or file name: the next word does not begin in lower case. */
const END = /[.!?](?=\s+[^\p{Ll}\s]|\s*$)|[。！？]/u;
const FENCE = /^\s*(?:```|~~~)/;
/** Headings, horizontal lines, tables and lines of markup. */
const NO_PROSE = /^\s*(?:#{1,6}(?:\s|$)|[-=*_]{3,}\s*$|\||<[^>]*>\s*$|\*\*[^*]+\*\*:?\s*$|__[^_]+__:?\s*$)/;
const UNDERLINE = /^\s*(?:={3,}|-{3,})\s*$/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

/** Returns the first sentence of a Markdown text on one line, without headings, code and markup; undefined when there is none. */
export function firstSentence(markdown: string): string | undefined {
  const paragraphs = paragraphsOf(markdown.slice(0, MAX_READ));
  const isLabel = (text: string) => text.split(' ').length < MIN_WORDS || text.endsWith(':');
  const text = paragraphs.find((paragraph) => !isLabel(paragraph)) ?? paragraphs[0];
  if (text === undefined) return undefined;
  const end = END.exec(text);
  return end === null ? text : text.slice(0, end.index + 1);
}

/** Returns the paragraphs and list items, each on one line. */
function paragraphsOf(markdown: string): string[] {
  const lines = markdown
    .replace(/^\s*---\r?\n[\s\S]*?\r?\n---\s*(?:\r?\n|$)/, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/\r?\n/);
  const paragraphs: string[] = [];
  let open: string[] = [];
  let isCode = false;
  const close = () => {
    const text = plain(open.join(' '))
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim();
    if (/[\p{L}\p{N}]/u.test(text)) paragraphs.push(text);
    open = [];
  };
  for (const [index, line] of lines.entries()) {
    const isUnderlined = line.trim() !== '' && UNDERLINE.test(lines[index + 1] ?? '');
    if (FENCE.test(line)) isCode = !isCode;
    else if (!isCode && line.trim() !== '' && !NO_PROSE.test(line) && !isUnderlined) {
      if (ITEM.test(line)) close();
      open.push(line.replace(ITEM, '').replace(/^\s*>\s?/, ''));
      continue;
    }
    close();
  }
  close();
  return paragraphs;
}

/** Removes the marks of emphasis, code and links. */
function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/(?<![\p{L}\p{N}])[*_]([^*_]+)[*_](?![\p{L}\p{N}])/gu, '$1');
}
