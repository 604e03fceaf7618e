import process, { type Group } from '/skills/data-processor/index.js';

/** Returns the groups of a CSV file, the largest sum first. */
export default async function report({
  path,
  groupBy,
  sum,
}: {
  path: string;
  groupBy: string;
  sum: string;
}): Promise<Group[]> {
  const { content } = await servers.files.readTextFile({ path });
  return process({ rows: rowsOf(content), groupBy, sum });
}

/** Returns the rows of a CSV text, by the names in its first line. */
export function rowsOf(text: string): Record<string, string>[] {
  const [names = [], ...lines] = linesOf(text);
  return lines.map((fields) => Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ''])));
}

function linesOf(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.trimEnd().matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    lines.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') lines.push([]);
  }
  return lines;
}
