/** Returns the numbers of the lines that name each of these tools, from 1: in a call by name, or by its generated function. */
export function callingLines(source: string, tools: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const lines = source.split('\n');
  return new Map([...new Set(tools)].map((tool) => [tool, linesOf(lines, tool)]));
}

function linesOf(lines: readonly string[], tool: string): number[] {
  const name = tool.slice(tool.indexOf('__') + 2);
  const camel = name.replaceAll(/[_-]+(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const snake = name.replaceAll('-', '_');
  const named = [
    new RegExp(`['"\`]${literal(tool)}['"\`]`),
    new RegExp(`(?<![\\w$])(?:${literal(camel)}|${literal(snake)})\\s*\\(`),
  ];
  const found = (pattern: RegExp) => lines.flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
  const [byName = [], byFunction = []] = named.map(found);
  return byName.length > 0 ? byName : byFunction;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
