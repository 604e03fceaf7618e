import { PLACEHOLDER_NAME } from '../../placeholder.ts';
import type { SessionKey } from '../keys/session-key.ts';

const INDEX_PREFIX = 'index:';

/** Returns the key of the entry that leads from a value to its placeholder. */
export function indexEntry(
  session: SessionKey,
  { type, numeric, canonical }: { readonly type: string; readonly numeric: boolean; readonly canonical: string },
): string {
  return INDEX_PREFIX + session.indexOf(type, numeric, canonical);
}

/** Returns the content of an index entry: the name of the placeholder, and the id of the page with its record. */
export function indexText(name: string, page: string): string {
  return `${name} ${page}`;
}

/** Reads the content of an index entry. The earlier format has no pages. */
export function readIndex(content: Buffer | undefined): { readonly name?: string; readonly page?: string | undefined } {
  const [name = '', page] = content?.toString().split(' ') ?? [];
  return PLACEHOLDER_NAME.test(name) ? { name, page } : {};
}
