import type { JsonSchema } from '../../tools/tool.ts';

/** The syntax of a header's name (RFC 9110, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The types of arguments that a header can contain. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);
const MAX_DEPTH = 50;

/**
 * Returns the problem of a tool's `x-mcp-header` keywords, which copy arguments to headers (revision 2026-07-28); undefined
 * when there is none. The specification forbids offering a tool with a problem.
 */
export function headerProblem(schema: JsonSchema): string | undefined {
  const seen = new Set<string>();
  /** `isPlace` is true while only `properties` lead here: elsewhere the keyword has no unique argument. */
  const visit = (node: unknown, isPlace: boolean, depth: number): string | undefined => {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return undefined;
    if (Array.isArray(node)) return first(node, (item) => visit(item, false, depth + 1));
    const record = node as Readonly<Record<string, unknown>>;
    if (Object.hasOwn(record, 'x-mcp-header')) {
      const header = record['x-mcp-header'];
      if (!isPlace || depth === 0) return 'x-mcp-header is not on an argument';
      if (typeof header !== 'string' || !TOKEN.test(header))
        return `${JSON.stringify(header)} is not a valid header name`;
      if (!PLAIN_TYPES.has(record.type))
        return `the argument of the header ${header} must be a string, integer or boolean`;
      if (seen.has(header.toLowerCase())) return `the header ${header} is for two arguments`;
      seen.add(header.toLowerCase());
    }
    return first(Object.entries(record), ([key, value]) => {
      if (DATA.has(key)) return undefined;
      if (key !== 'properties' || typeof value !== 'object' || value === null) return visit(value, false, depth + 1);
      return first(Object.values(value), (property) => visit(property, isPlace, depth + 1));
    });
  };
  return visit(schema, true, 0);
}

function first<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
