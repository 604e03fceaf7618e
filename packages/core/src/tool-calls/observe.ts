import { propertyPath } from '@toolwright/connectors/internal';
import { hasManyDigits } from '@toolwright/sandbox/internal';
import { isFieldName } from '../catalog/inferred-types/field-names.ts';
import type { ResolvedTool } from '../catalog/resolved-tool.ts';
import { resultProblem } from '../catalog/validation/result.ts';
import type { LimitedResult, ToolCallContext } from './call.ts';

/** The names that servers give to the place of the next page. */
const NEXT_PAGE = [
  ...[
    'next_cursor',
    'nextCursor',
    'next_page',
    'nextPage',
    'next_page_token',
    'nextPageToken',
    'next_token',
    'nextToken',
  ],
  ...['has_more', 'hasMore', 'has_next_page', 'hasNextPage'],
] as const;

/** Returns the name of the field that leads to the next page of a result; undefined for the last page, and for results without pages. */
export function nextPageOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  for (const name of NEXT_PAGE) {
    if (Object.hasOwn(data, name) && isMore((data as Record<string, unknown>)[name])) return name;
  }
  return undefined;
}

function isMore(value: unknown): boolean {
  return value === true || typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/**
 * Warns the reader of the execution about whole numbers that JavaScript does not have. Warns also about a result that breaks the output
 * schema of its tool. The program receives the result: it may be right, and the schema wrong. The warning has no values, because the result is
 * not redacted yet.
 */
export function warnAboutResult(
  { data, text }: LimitedResult,
  { tool, writer }: ResolvedTool,
  { warn, language }: ToolCallContext,
): void {
  if (language === 'typescript' && hasManyDigits(text)) {
    const place = pathToInteger(data);
    if (place !== undefined) {
      const where = place === '' ? 'a whole number' : `${place}, a whole number`;
      const message = `${tool.id} returned ${where} beyond 2^53. The program gets the digits of such numbers as text: pass the text on as it is, or use BigInt(text).`;
      warn(message, 'large integers');
    }
  }
  const problem = resultProblem(tool, data, writer);
  if (problem !== undefined)
    warn(`The result of ${tool.id} breaks its output schema: ${problem}. It was passed on as it is.`);
}

/** Returns the path of the first whole number beyond ±(2⁵³-1); undefined without one. Names that may be data are left out. */
function pathToInteger(data: unknown): string | undefined {
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: data, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'bigint') return path;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, child] of Object.entries(value).reverse()) {
      if (typeof child !== 'bigint' && (typeof child !== 'object' || child === null)) continue;
      const inner = isList ? `${path}[${name}]` : propertyPath(path, isFieldName(name) ? name : '…');
      open.push({ value: child, path: inner });
    }
  }
  return undefined;
}
