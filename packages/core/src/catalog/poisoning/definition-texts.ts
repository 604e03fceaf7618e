import type { ToolDefinition } from '@toolwright/connectors';

/** One text of a tool definition. */
export interface DefinitionText {
  /** `description`, `inputSchema.properties.note.enum.0`. */
  readonly place: string;
  readonly text: string;
  /** `name`: the name of the tool or of a parameter. `value`: a default, constant or choice. */
  readonly role: 'name' | 'value' | 'prose';
}

const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const VALUES = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** Returns all texts of a definition that a model may read: names, titles, descriptions, keys and values of the schemas. */
export function definitionTexts(definition: ToolDefinition): DefinitionText[] {
  const { name, title, description, annotations, inputSchema, outputSchema } = definition;
  const texts: DefinitionText[] = [{ place: 'name', text: String(name), role: 'name' }];
  const visit = (value: unknown, place: string, key: string, isValue: boolean): void => {
    if (typeof value === 'string') texts.push({ place, text: value, role: isValue ? 'value' : 'prose' });
    if (typeof value !== 'object' || value === null) return;
    for (const [inner, child] of Object.entries(value)) {
      const at = `${place}.${inner}`;
      if (!Array.isArray(value)) texts.push({ place: at, text: inner, role: NAMED.has(key) ? 'name' : 'value' });
      visit(child, at, inner, isValue || (VALUES.has(inner) && !NAMED.has(key)));
    }
  };
  for (const [place, value] of Object.entries({ title, description, annotations, inputSchema, outputSchema })) {
    visit(value, place, place, false);
  }
  return texts;
}
