import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { isObject, type JsonObject } from '../../json.ts';
import { MAX_RUN_TIMEOUT_MS } from '../../settings.ts';
import type { WorkflowBody } from '../body.ts';
import { type Instance, segment } from '../instance.ts';
import { pageOf } from '../page.ts';

const DELETE_ATTEMPTS = 3;
const DELETE_PAUSE_MS = 500;
const MARK = 'Toolwright test ';
const COPY_NAME = /^Toolwright test [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}: /;
/** n8n accepts no longer name of a workflow. */
const MAX_NAME_CHARS = 128;
/** The time for the requests of a test, besides its execution. */
const EXPIRY_MARGIN_MS = 10 * 60_000;
const MAX_LISTED = 100;

/** A copy on the instance. */
interface Copy {
  readonly id: string;
  /** By the clock of n8n. */
  readonly createdAt: unknown;
}

/** Returns the name of a copy. It marks a workflow that Toolwright may remove. */
export function copyName(token: string, name: string): string {
  return `${MARK}${token}: ${name}`.slice(0, MAX_NAME_CHARS);
}

/** Creates the copy. If the answer of n8n is lost, the copy may exist, and is searched by its name. */
export async function createCopy(
  instance: Instance,
  body: WorkflowBody,
  signal: AbortSignal | undefined,
): Promise<Copy> {
  let created: unknown;
  try {
    created = await instance.client.send({
      method: 'POST',
      path: '/workflows',
      body,
      what: 'the copy for the test',
      signal,
    });
  } catch (error) {
    if (error instanceof ToolwrightError && typeof error.details.status === 'number') throw error;
    const left = await removeByName(instance, body.name);
    throw left === undefined ? error : withNote(error, left);
  }
  if (isObject(created) && typeof created.id === 'string') return { id: created.id, createdAt: created.createdAt };
  throw new ToolwrightError(
    'UPSTREAM_PROTOCOL',
    `n8n's response to a new workflow has no id. Check that n8n.url is the address of n8n itself.`,
  );
}

/** Removes a copy. Returns the reason why it is left; undefined without one. The end of the call does not end the removal. */
export async function removeCopy({ client }: Instance, id: string): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.send({ method: 'DELETE', path: `/workflows/${segment(id)}`, what: `the copy ${id}` });
      return undefined;
    } catch (error) {
      if (error instanceof ToolwrightError && error.details.status === 404) return undefined;
      if (attempt === DELETE_ATTEMPTS)
        return `The copy ${id} could not be removed: ${messageOf(error)} Delete the workflow ${id}.`;
      await sleep(DELETE_PAUSE_MS);
    }
  }
}

async function removeByName(instance: Instance, name: string): Promise<string | undefined> {
  try {
    return await removeAll(instance, await copiesOf(instance, name));
  } catch (error) {
    return `A workflow "${name}" may exist: ${messageOf(error)} Delete it.`;
  }
}

/**
 * Removes copies that their process could not remove, because it was ended. `now` is the time at which n8n created another copy:
 * only the clock of n8n decides. Returns the reason why one is left; undefined without one.
 */
export async function removeExpiredCopies(instance: Instance, now: unknown): Promise<string | undefined> {
  const expiredBefore = Date.parse(String(now)) - MAX_RUN_TIMEOUT_MS - EXPIRY_MARGIN_MS;
  try {
    const copies = await copiesOf(instance, MARK);
    const isExpired = ({ name, createdAt }: JsonObject): boolean =>
      COPY_NAME.test(String(name)) && Date.parse(String(createdAt)) < expiredBefore;
    return await removeAll(instance, copies.filter(isExpired));
  } catch (error) {
    return `Toolwright could not look for copies of earlier tests: ${messageOf(error)}`;
  }
}

/** Lists the workflows with a part of a name. */
async function copiesOf({ client }: Instance, name: string): Promise<JsonObject[]> {
  const query = { name, limit: MAX_LISTED, excludePinnedData: true };
  const { data } = pageOf(await client.send({ path: '/workflows', query, what: 'copies for tests' }));
  return data.filter((workflow) => String(workflow.name).startsWith(name));
}

async function removeAll(instance: Instance, copies: readonly JsonObject[]): Promise<string | undefined> {
  const left = await Promise.all(copies.map(({ id }) => removeCopy(instance, String(id))));
  return left.find((each) => each !== undefined);
}

/** Returns an error with a further sentence in its message. */
export function withNote(error: unknown, note: string): ToolwrightError {
  const code = error instanceof ToolwrightError ? error.code : 'TOOL_FAILED';
  return new ToolwrightError(code, `${messageOf(error)} ${note}`, { cause: error });
}
