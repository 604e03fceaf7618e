import { resultSchema } from '@toolwright/connectors';
import type { ToolCallRecord } from '../../journal/call-record.ts';
import type { Execution } from '../execution.ts';

/** Tools of which the fields are read, and names in the note. */
const MAX_TOOLS = 8;
const MAX_NAMES = 3;
/** A member that is read, not called, and a key in quotes. */
const READ = /\.([A-Za-z_]\w*)\b(?!\s*[(=:\w])|\[\s*["'](\w+)["']\s*\]|\.get\(\s*["'](\w+)["']/g;

/**
 * Returns a note about fields that no result has, where one has a field of the same letters: `created_at` for `createdAt`. Such a field is
 * `undefined`, and a filter with it finds nothing. Returns undefined without any.
 */
export async function misspeltFields({ source, host, catalog }: Execution): Promise<string | undefined> {
  const fields = await fieldsOf(host.calls(), catalog);
  if (fields.size === 0) return undefined;
  const byLetters = new Map([...fields].map((name) => [lettersOf(name), name]));
  const read = [...source.matchAll(READ)].map(([, member, key, gotten]) => member ?? key ?? gotten ?? '');
  const wrong = [...new Set(read)].flatMap((name) => {
    const meant = byLetters.get(lettersOf(name));
    return meant === undefined || fields.has(name) || isOwn(name, source) ? [] : [`${name} (${meant})`];
  });
  if (wrong.length === 0) return undefined;
  return `No result has these fields, similar ones in brackets: ${wrong.slice(0, MAX_NAMES).join(', ')}.`;
}

const lettersOf = (name: string) => name.replaceAll('_', '').toLowerCase();

/** Returns whether a program declares a field, a variable or a parameter with a name. */
function isOwn(name: string, source: string): boolean {
  return new RegExp(`\\b${name}["']?\\]?\\s*(?:[:,}](?!:)|=(?!=))`).test(source);
}

async function fieldsOf(calls: readonly ToolCallRecord[], catalog: Execution['catalog']): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  const ids = new Set<string>();
  for (const { tool } of calls) ids.add(tool);
  for (const id of [...ids].slice(-MAX_TOOLS)) {
    const tool = await catalog.tool(id).catch(() => undefined);
    const schema = tool && resultSchema(catalog.withObserved(tool));
    // A tool whose fields are unknown may have any.
    if (schema === undefined) return new Set();
    addFields(schema, names);
  }
  return names;
}

/** Adds the names of all properties. A schema of a server may be nested deeply. */
function addFields(schema: unknown, names: Set<string>): void {
  const open = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      const isNamed = key === 'properties' && typeof inner === 'object' && inner !== null;
      if (isNamed) for (const name of Object.keys(inner)) names.add(name);
      open.push(...(isNamed ? Object.values(inner) : [inner]));
    }
  }
}
