import type { Tool } from '@toolwright/connectors';
import { terms } from './terms.ts';

/** The searched fields of a tool. The index stores `FIELD_COUNT` numbers per tool in this order. */
export const Field = { name: 0, server: 1, summary: 2, parameters: 3, details: 4, serverDescription: 5 } as const;
export const FIELD_COUNT = 6;

const FIRST_SENTENCE = /^[\s\S]*?(?:[.!?](?=\s|$)|[。！？]|\n\s*\n|$)/;
const MAX_FIELD_CHARS = 8_000;
const MAX_PARAMETERS = 300;
const MAX_PARAMETER_DEPTH = 3;
const MAX_ENUM_VALUES = 30;

/** Returns the search terms of a tool, one list per field. The caller passes the terms of its server. */
export function toolTerms(
  tool: Tool,
  server: readonly string[],
  serverDescription: readonly string[],
): readonly (readonly string[])[] {
  const { name, title, description = '', inputSchema } = tool.definition;
  const summary = FIRST_SENTENCE.exec(description)?.[0] ?? '';
  const parameters: string[] = [];
  const details = [title ?? '', description.slice(summary.length)];
  collectParameters(inputSchema, 0, parameters, details);
  return [
    terms(name),
    server,
    terms(summary.slice(0, MAX_FIELD_CHARS)),
    terms(parameters.join(' ').slice(0, MAX_FIELD_CHARS)),
    terms(details.join(' ').slice(0, MAX_FIELD_CHARS)),
    serverDescription,
  ];
}

/** Returns the terms of a server's name and description, for `toolTerms` of its tools. */
export function serverTerms(server: string, description = ''): { name: string[]; description: string[] } {
  return { name: terms(server), description: terms(description.slice(0, MAX_FIELD_CHARS)) };
}

/** Collects names, descriptions and enum values of parameters from the raw schema, which may be malformed. */
function collectParameters(schema: unknown, depth: number, names: string[], details: string[]): void {
  const properties = member(schema, 'properties');
  if (typeof properties !== 'object' || properties === null || depth >= MAX_PARAMETER_DEPTH) return;
  for (const [name, property] of Object.entries(properties)) {
    if (names.length >= MAX_PARAMETERS) return;
    names.push(name);
    const description = member(property, 'description');
    if (typeof description === 'string') details.push(description);
    const values = member(property, 'enum');
    if (Array.isArray(values)) {
      for (const value of values.slice(0, MAX_ENUM_VALUES)) if (typeof value === 'string') details.push(value);
    }
    collectParameters(property, depth + 1, names, details);
    collectParameters(member(property, 'items'), depth + 1, names, details);
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
