const FENCE = /^\s*```[^`\n]*\n([\s\S]*?)\n?```\s*$/;

/** Replaces a Markdown fence around a whole program by blanks; positions stay the same. */
export function withoutFence(text: string): string {
  const match = FENCE.exec(text);
  const code = match?.[1];
  if (match === null || code === undefined) return text;
  const start = text.indexOf('\n', text.indexOf('```')) + 1;
  return blank(text.slice(0, start)) + code;
}

/** Returns a space for each character of the text; keeps line breaks. */
export function blank(text: string): string {
  return text.replaceAll(/[^\r\n]/g, ' ');
}
