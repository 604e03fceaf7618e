/** Returns a function that finds the lines of a call: the line that made it, if it is known. Otherwise the lines that name its tool. */
export function linesOfCalls(source: string, calls: readonly Placed[]): (call: Placed) => readonly number[] {
  const unplaced = calls.filter(({ line }) => line === undefined).map(({ tool }) => tool);
  const byTool = callingLines(source, unplaced);
  return ({ tool, line }) => (line === undefined ? (byTool.get(tool) ?? []) : [line]);
}

interface Placed {
  readonly tool: string;
  readonly line?: number | undefined;
}

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
