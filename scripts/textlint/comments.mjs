import { parseSync } from 'oxc-parser';
import { lineAt, paragraphsOf } from './paragraphs.mjs';

/** Comments that tools read. */
const DIRECTIVE = /^\s*(biome-ignore|@ts-|@vitest|#__PURE__|\/ <reference)/;

/** Returns the prose in the comments of a source file as `{ line, text }`, one per paragraph. Adjacent line comments are one text. */
export function extractComments(path, source) {
  const blocks = [];
  for (const { type, value, start, end } of parseSync(path, source).comments) {
    if (DIRECTIVE.test(value)) continue;
    const last = blocks.at(-1);
    const isContinued = type === 'Line' && last?.type === 'Line' && /^\n[ \t]*$/.test(source.slice(last.end, start));
    if (isContinued) {
      last.text += `\n${clean(value)}`;
      last.end = end;
    } else blocks.push({ type, text: clean(value), start, end });
  }
  return blocks.flatMap(({ text, start, end }) => paragraphsOf(text, lineAt(source, start), lineAt(source, end)));
}

/** Removes the asterisks of a block comment, its tags, the spaces of its lines, and its examples. */
function clean(comment) {
  return comment
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^\*/, '')
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*\* ?/, '')
        .replace(/^\s*@\w+ ?/, '\n')
        .trim(),
    )
    .join('\n');
}
