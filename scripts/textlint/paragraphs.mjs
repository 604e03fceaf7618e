/** A string of fewer words is a name, not prose. */
const MIN_WORDS = 3;
/** Lines of a synopsis. */
const SYNOPSIS = /^\s*(toolwright\s|\[)/;
const SPAN = 'X';

/**
 * Splits a text into paragraphs, each `{ line, text }`. An indented line or list item is a paragraph, and so is each of its
 * columns. Other lines are joined up to a blank one. Code between backticks is replaced by `X`.
 */
export function paragraphsOf(text, firstLine, lastLine) {
  const paragraphs = [];
  let joined;
  for (const [index, content] of text.split('\n').entries()) {
    const line = Math.min(firstLine + index, lastLine);
    const standsAlone = /^(\s+\S|\s*[-*|] )/.test(content) && index > 0;
    if (SYNOPSIS.test(content) && index > 0) joined = undefined;
    else if (content.trim() === '') joined = undefined;
    else if (standsAlone) {
      paragraphs.push(...content.split(/\s{2,}/).map((column) => ({ line, text: column })));
      joined = undefined;
    } else if (joined) joined.text += ` ${content}`;
    else {
      joined = { line, text: content };
      paragraphs.push(joined);
    }
  }
  return paragraphs
    .map(({ line, text: raw }) => ({
      line,
      text: raw
        .replaceAll(/`[^`]*`/g, SPAN)
        .replaceAll(/\s+/g, ' ')
        .trim(),
    }))
    .filter(({ text: clean }) => clean.split(' ').length >= MIN_WORDS);
}

/** Returns the number of the line at an offset of a source. */
export const lineAt = (source, offset) => source.slice(0, offset).split('\n').length;
