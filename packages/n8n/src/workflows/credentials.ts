import { ToolwrightError } from '@toolwright/core/errors';
import type { JsonObject } from '../json.ts';
import { numberArgument } from '../tool.ts';
import { usedCredentials } from '../validation/credentials.ts';
import { checkNodes } from '../validation/publish.ts';
import { readWorkflow } from '../validation/workflow.ts';
import type { Instance } from './instance.ts';
import { MAX_PAGE, type Page, pageOf } from './page.ts';

const DEFAULT_LIST = 50;
const MAX_PAGES = 20;
/** Why the credentials of an instance cannot be listed: the key belongs to no owner or admin, or n8n is too old. */
const UNLISTED: readonly string[] = ['ACCESS_DENIED', 'NOT_SUPPORTED'];

/** Lists credentials by id, name and type. n8n filters by no type, so a list of one type reads all pages. */
export async function listCredentials(
  instance: Instance,
  { type, limit, cursor }: JsonObject,
  signal: AbortSignal | undefined,
): Promise<{ credentials: object[]; nextCursor?: string | undefined }> {
  const from = cursor === undefined ? undefined : String(cursor);
  const size = numberArgument(limit, DEFAULT_LIST, MAX_PAGE);
  const { data, nextCursor } = await (type === undefined
    ? readPage(instance, size, from, signal)
    : readPages(instance, from, signal));
  const fitting = data.filter((each) => type === undefined || each.type === type);
  return { credentials: fitting.map(({ id, name, type: own }) => ({ id: String(id), name, type: own })), nextCursor };
}

async function readPage(
  { client }: Instance,
  limit: number,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Page> {
  return pageOf(await client.send({ path: '/credentials', query: { limit, cursor }, what: 'credentials', signal }));
}

async function readPages(
  instance: Instance,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Page> {
  let page = await readPage(instance, MAX_PAGE, cursor, signal);
  const data = [...page.data];
  for (let pages = 1; page.nextCursor !== undefined && pages < MAX_PAGES; pages++) {
    page = await readPage(instance, MAX_PAGE, page.nextCursor, signal);
    data.push(...page.data);
  }
  return { data, nextCursor: page.nextCursor };
}

/**
 * Returns a problem for each credential that an enabled node uses and that the instance does not have, for example because it
 * was deleted. n8n publishes such a workflow, and its execution fails. Returns none if the key may not list credentials.
 */
export async function missingCredentials(
  instance: Instance,
  workflow: unknown,
  signal?: AbortSignal,
): Promise<string[]> {
  const used = checkNodes(readWorkflow(workflow), instance.catalog).checked.flatMap((each) =>
    each.node.disabled ? [] : usedCredentials(each),
  );
  const known = used.length === 0 ? undefined : await knownCredentials(instance, signal);
  if (known === undefined) return [];
  return used
    .filter(({ type, id }) => !known.has(`${type} ${id}`))
    .map(
      ({ node, type, id }) =>
        `"${node}" uses the credential "${id}" of type ${type}, which n8n does not have: its execution fails. Choose one of listCredentials({ type: "${type}" }).`,
    );
}

/** Raises `TOOL_FAILED` for a workflow with {@link missingCredentials}. */
export async function refuseMissingCredentials(
  instance: Instance,
  workflow: unknown,
  signal?: AbortSignal,
): Promise<void> {
  const problems = await missingCredentials(instance, workflow, signal);
  if (problems.length > 0) throw new ToolwrightError('TOOL_FAILED', problems.join(' '));
}

/** Returns type and id of all credentials; undefined if the instance does not list all of them. */
async function knownCredentials(
  instance: Instance,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const { data, nextCursor } = await readPages(instance, undefined, signal);
    return nextCursor === undefined ? new Set(data.map(({ id, type }) => `${type} ${id}`)) : undefined;
  } catch (error) {
    if (error instanceof ToolwrightError && UNLISTED.includes(error.code)) return undefined;
    throw error;
  }
}
