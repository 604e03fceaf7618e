import { plainLines } from '../../../text.ts';

/** Returns a docstring. The first line is not indented. Escapes the text; returns nothing for an empty text. */
export function docstring(text: string, indent = ''): string {
  const lines = plainLines(text).map((line) => line.trimEnd());
  if (lines.length === 1 && lines[0] === '') return '';
  const quoted = lines
    .map((line, index) => (line === '' || index === 0 ? line : `${indent}${line}`))
    .join('\n')
    .replaceAll('\\', '\\\\')
    .replace(/"(?="")|"$/g, '\\"');
  return lines.length === 1 ? `"""${quoted}"""\n` : `"""${quoted}\n${indent}"""\n`;
}

/** Returns comment lines at an indentation. Accepts any text; returns nothing for an empty text. */
export function comment(text: string, indent: string): string {
  const lines = plainLines(text);
  if (lines.length === 1 && lines[0] === '') return '';
  return `${lines.map((line) => `${indent}# ${line}`.trimEnd()).join('\n')}\n`;
}
