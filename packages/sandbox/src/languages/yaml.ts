import { messageOf } from '../errors.ts';

/** The value of a YAML text, or why it cannot be read. */
export type YamlReading = { readonly value: unknown } | { readonly problem: string };

/** With YAML aliases, a small text can become a large value. */
const MAX_ALIASES = 10;

/** Reads a YAML text of one document with the core schema. */
export async function readYaml(text: string): Promise<YamlReading> {
  const { parseDocument } = await import('./yaml-library.ts');
  try {
    const document = parseDocument(text, { schema: 'core', merge: false, logLevel: 'error' });
    const [error] = [...document.errors, ...document.warnings];
    if (error) return { problem: error.message };
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
