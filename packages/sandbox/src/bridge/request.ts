/** The start of a request. JSON allows blanks between its parts. */
const HEAD = /^\s*\[\s*"([\w.]{1,40})"\s*(?=[,\]])/;
/** A parameter that is a text. A longer one is no path and no name. */
const TEXT = /,\s*("(?:[^"\\]|\\.){1,4096}")\s*(?=[,\]])/y;

/**
 * Returns the operation of a request by its JSON text, without parsing it; an empty text if there is none. The host refuses a request
 * if its parsed operation is another one. So all parts of the host read the same operation.
 */
export function operationOf(request: string): string {
  return HEAD.exec(request)?.[1] ?? '';
}

/** Returns the first parameters of a request that are texts, at most `count`. */
export function leadingTexts(request: string, count: number): string[] {
  const [head] = HEAD.exec(request) ?? [];
  const texts: string[] = [];
  for (let at = head?.length ?? request.length; texts.length < count; at = TEXT.lastIndex) {
    TEXT.lastIndex = at;
    const text = TEXT.exec(request)?.[1];
    if (text === undefined) break;
    texts.push(JSON.parse(text) as string);
  }
  return texts;
}

/** Returns the server of a tool call; undefined for any other request. */
export function calledServer(request: string): string | undefined {
  if (operationOf(request) !== 'call') return undefined;
  const [tool = ''] = leadingTexts(request, 1);
  const end = tool.indexOf('__', 1);
  return end < 0 ? undefined : tool.slice(0, end);
}
