import { isObject, type JsonObject } from '../json.ts';
import type { ValueSchema } from '../tool.ts';

/** An id of n8n. Some ids are numbers. */
export const ID: ValueSchema = { type: ['string', 'number'] };

/** The largest page that n8n's API returns. */
export const MAX_PAGE = 250;

/** One page of a list. */
export interface Page {
  readonly data: JsonObject[];
  readonly nextCursor: string | undefined;
}

/** Reads one page of a list from the API. */
export function pageOf(answer: unknown): Page {
  const page = isObject(answer) ? answer : {};
  const data = (Array.isArray(page.data) ? page.data : []).filter(isObject);
  return { data, nextCursor: typeof page.nextCursor === 'string' ? page.nextCursor : undefined };
}
