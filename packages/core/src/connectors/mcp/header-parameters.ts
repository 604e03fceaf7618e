import type { JsonSchema } from '../../catalog/tool.ts';

/** A header's name as HTTP has it (RFC 9110, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Types of arguments that a header can carry. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);
const MAX_DEPTH = 50;

/**
 * What is wrong with the headers into which a tool wants its arguments mirrored (`x-mcp-header`, revision 2026-07-28);
 * undefined when all is well. Such a tool must not be offered.
 */
export function headerProblem(schema: JsonSchema): string | undefined {
  const seen = new Set<string>();
  /** `isPlace` while only `properties` lead here: elsewhere it is not known which argument is meant. */
  const visit = (node: unknown, isPlace: boolean, depth: number): string | undefined => {
    if (typeof node !== 'object' || node === null || depth > MAX_DEPTH) return undefined;
    if (Array.isArray(node)) return first(node, (item) => visit(item, false, depth + 1));
    const record = node as Readonly<Record<string, unknown>>;
    if (Object.hasOwn(record, 'x-mcp-header')) {
      const header = record['x-mcp-header'];
      if (!isPlace || depth === 0) return 'x-mcp-header stands where no argument is';
      if (typeof header !== 'string' || !TOKEN.test(header)) return `${JSON.stringify(header)} is no name of a header`;
      if (!PLAIN_TYPES.has(record.type))
        return `the header ${header} is for an argument that is no text, integer or boolean`;
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
