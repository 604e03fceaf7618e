const FENCE = /^\s*```[^`\n]*\n([\s\S]*?)\n?```\s*$/;

/** Blanks a Markdown fence around a whole program; positions stay. */
export function withoutFence(text: string): string {
  const match = FENCE.exec(text);
  const code = match?.[1];
  if (match === null || code === undefined) return text;
  const start = text.indexOf('\n', text.indexOf('```')) + 1;
  return blank(text.slice(0, start)) + code;
}

/** The same text with a space for each character, lines kept. */
export function blank(text: string): string {
  return text.replaceAll(/[^\r\n]/g, ' ');
}
