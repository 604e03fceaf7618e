import { split } from 'sentence-splitter';

const GAP = ' ';
const SPAN = 'X';

/**
 * Returns the text of a block with the length of its source: code spans become one word of X, and the rest of the markup
 * (brackets, addresses, stars) becomes spaces. Positions in the result are therefore positions in the source.
 */
function plainText(block, { Syntax, getSource }) {
  const [start, end] = block.range;
  const characters = Array.from({ length: end - start }, () => GAP);
  const write = (node, text) => {
    for (let at = 0; at < text.length; at++) characters[node.range[0] - start + at] = text[at];
  };
  const visit = (node) => {
    if (node.type === Syntax.Code) write(node, SPAN.repeat(node.range[1] - node.range[0]));
    else if (node.type === Syntax.Str) write(node, getSource(node).replaceAll(/\s/g, GAP));
    for (const child of node.children ?? []) visit(child);
  };
  visit(block);
  // A full stop after a link would otherwise stand alone, and end no sentence.
  return characters.join('').replaceAll(/( +)([.,;:!?])/g, '$2$1');
}

/** Returns handlers that call `check` with every block of prose: paragraphs, headings and table cells, without header rows. */
export function eachBlock({ Syntax }, check) {
  const headerCells = new Set();
  return {
    [Syntax.Table](table) {
      for (const cell of table.children[0]?.children ?? []) headerCells.add(cell);
    },
    [Syntax.Paragraph]: check,
    [Syntax.Header]: check,
    [Syntax.TableCell](cell) {
      if (!headerCells.has(cell)) check(cell);
    },
  };
}

/** An end that the library takes for a number or an abbreviation: "at 10. At 5", "in 2 ms. In another run". */
const END_BEHIND_NUMBER = /(?<=(?:\d|\bms)\.) +(?=\p{Lu})/gu;

/** Returns the sentences of a block as `{ text, start }`, with positions in its source. */
export function sentencesOf(block, context) {
  return split(plainText(block, context)).flatMap(({ type, raw, range }) => {
    if (type !== 'Sentence') return [];
    const starts = [0, ...[...raw.matchAll(END_BEHIND_NUMBER)].map(({ 0: gap, index }) => index + gap.length)];
    return starts.map((start, index) => ({ text: raw.slice(start, starts[index + 1]), start: range[0] + start }));
  });
}
