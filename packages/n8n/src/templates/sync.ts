import { isObject } from '../json.ts';
import { DEFAULT_TEMPLATES_URL } from '../settings.ts';
import { askLibrary, readSummary, saveSummaries, type TemplateSummary } from './library.ts';

/** Templates per page, the maximum of the library. */
const PAGE_ROWS = 100;

/**
 * Fetches the summaries of the `limit` most used templates into the cache folder. Their workflows are fetched on request.
 * Raises `UPSTREAM_UNAVAILABLE` and `UPSTREAM_PROTOCOL`.
 */
export async function syncTemplates(
  folder: string,
  { limit, url = DEFAULT_TEMPLATES_URL }: { readonly limit: number; readonly url?: string | undefined },
): Promise<{ file: string; templates: number }> {
  const found = new Map<number, TemplateSummary>();
  for (let page = 1; found.size < limit; page++) {
    const rows = Math.min(PAGE_ROWS, limit);
    const body = await askLibrary(url, `/api/templates/search?page=${page}&rows=${rows}`);
    const workflows = Array.isArray(body?.workflows) ? body.workflows.filter(isObject) : [];
    const before = found.size;
    for (const workflow of workflows) {
      const summary = readSummary(workflow);
      if (found.size < limit && Number.isSafeInteger(summary.id)) found.set(summary.id, summary);
    }
    if (workflows.length < rows || found.size === before) break;
  }
  return { file: saveSummaries(folder, [...found.values()]), templates: found.size };
}
