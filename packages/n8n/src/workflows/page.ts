import { isObject, type JsonObject } from '../json.ts';
import type { ValueSchema } from '../tool.ts';

/** An id of n8n. Some ids are numbers. */
export const ID: ValueSchema = { type: ['string', 'number'] };

/** Reads one page of a list from the API. */
export function pageOf(answer: unknown): { data: JsonObject[]; nextCursor: string | undefined } {
  const page = isObject(answer) ? answer : {};
  const data = (Array.isArray(page.data) ? page.data : []).filter(isObject);
  return { data, nextCursor: typeof page.nextCursor === 'string' ? page.nextCursor : undefined };
}
