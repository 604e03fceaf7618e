/** A line `key: value`, in its parts. */
const FIELD = /^([ \t]*)([\w][\w.-]*):[ \t]+(\S.*?)[ \t]*$/;
const BLOCK = /^[|>][+-]?\d?(?:\s+#.*)?$/;
const NUMBER = /^[-+]?(?:\d[\d_]*)?\.?\d+(?:e[-+]?\d+)?$/i;
/** Most characters of a line that is quoted: longer ones are no descriptions. */
const MAX_LINE = 4_096;
/** Words that YAML 1.2 reads as another type than text. */
const WORD = /^(?:true|false|null|~)$/i;

/**
 * Quotes the values in front matter that its author has not quoted: texts with a colon or a special first character. Inside
 * `metadata`, it quotes numbers and truth values too. Values in blocks, lists and maps of braces stay as they are.
 */
export function quotedFrontMatter(yaml: string): string {
  const lines = yaml.split(/\r?\n/).map((line) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')));
  const written: string[] = [];
  let isInMetadata = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, indent = '', key = '', value = ''] = fieldOf(line) ?? [];
    if (/^\S/.test(line)) isInMetadata = /^metadata:\s*$/.test(line);
    const end = lastLineOf(lines, index, indent.length);
    const isPlain = key !== '' && !BLOCK.test(value) && !isQuoted(value) && !isCollection(value);
    const rest = lines.slice(index + 1, end + 1).map((each) => each.trim());
    const text = [value, ...rest].join(' ').trim();
    const isTyped = isInMetadata && indent !== '' && (NUMBER.test(value) || WORD.test(value));
    if (isPlain && (needsQuotes(text) || isTyped)) written.push(`${indent}${key}: ${JSON.stringify(text)}`);
    else written.push(...lines.slice(index, end + 1));
    index = end;
  }
  return written.join('\n');
}

function fieldOf(line: string): RegExpExecArray | undefined {
  return line.length > MAX_LINE ? undefined : (FIELD.exec(line) ?? undefined);
}

/** Returns the last line of a value: a text may go on in lines that are further to the right. */
function lastLineOf(lines: readonly string[], start: number, indent: number): number {
  if (!fieldOf(lines[start] ?? '')) return start;
  let end = start;
  while (end + 1 < lines.length && isFurther(lines[end + 1] ?? '', indent)) end++;
  while (end > start && lines[end]?.trim() === '') end--;
  return end;
}

function isFurther(line: string, indent: number): boolean {
  return line.trim() === '' || line.length - line.trimStart().length > indent;
}

function needsQuotes(text: string): boolean {
  return /:(?:\s|$)|^[@`%!&*?|>#,[\]{}"'-]/.test(text);
}

function isQuoted(value: string): boolean {
  return /^"(?:[^"\\]|\\.)*"(?:\s+#.*)?$/.test(value) || /^'(?:[^']|'')*'(?:\s+#.*)?$/.test(value);
}

/** Returns whether a value is a list or a map in brackets, or begins one that ends in a later line. */
function isCollection(value: string): boolean {
  return /^\[.*\]$/.test(value) || /^\{.*\}$/.test(value) || /^[[{]$/.test(value);
}
