/** One chunk of a text: the code between `{{` and `}}`, or text outside. */
export interface Chunk {
  readonly code: boolean;
  readonly text: string;
  /** False for code without closing braces. */
  readonly closed: boolean;
}

/** Splits a text as n8n does: the first `}}` without a backslash closes the code, even inside quotes. */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let buffer = '';
  let code = false;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(code ? '}}' : '{{', at);
    if (found < 0) {
      buffer += text.slice(at);
      break;
    }
    let backslashes = 0;
    while (found - backslashes > at && text[found - backslashes - 1] === '\\') backslashes++;
    buffer += text.slice(at, found);
    at = found + 2;
    if (backslashes % 2 === 1) {
      buffer += code ? '}}' : '{{';
      continue;
    }
    chunks.push({ code, text: buffer, closed: true });
    buffer = '';
    code = !code;
  }
  if (code || buffer !== '') chunks.push({ code, text: buffer, closed: !code });
  return chunks.map((chunk) => (chunk.code ? { ...chunk, text: chunk.text.replaceAll('\\}}', '}}') } : chunk));
}
