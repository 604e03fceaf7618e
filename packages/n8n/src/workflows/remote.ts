import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { N8nClient } from '../instances/client.ts';
import { isObject, type JsonObject } from '../json.ts';
import { calledWorkflow } from '../validation/subworkflows.ts';
import type { Caller } from '../validation/syntax.ts';
import { exitlessCycles, validateWorkflow } from '../validation/validate.ts';
import { readWorkflow, workflowObject } from '../validation/workflow.ts';
import { storedBody, toBody, type WorkflowBody } from './body.ts';
import { missingCredentials, refuseMissingCredentials } from './credentials.ts';
import { diffOf, type WorkflowDiff } from './edits/diff.ts';
import { droppedPaths } from './edits/dropped.ts';
import { lossesOf } from './edits/lost-links.ts';
import { applyOperations } from './edits/operations.ts';
import { fetchWorkflow, type Instance, segment } from './instance.ts';
import { summaryOf, type WorkflowSummary } from './summary.ts';

/** The state of a workflow after a change. */
export interface Changed extends WorkflowSummary {
  readonly publishable: boolean;
  /** The problems that keep n8n from publishing it, credentials that n8n does not have, and connections that a change lost. */
  readonly problems: readonly string[];
  /** Paths of values that n8n's API did not accept. */
  readonly dropped?: readonly string[] | undefined;
}

/** Creates an inactive workflow and reads it back. */
export async function createWorkflow(instance: Instance, input: unknown, caller: Caller = {}): Promise<Changed> {
  instance.policyCheck.write('createWorkflow');
  const body = toBody(input, instance.catalog);
  instance.policyCheck.nodes(typesOf(body));
  const { publishable, problems } = await verdictOf(instance, body, caller);
  const created = await instance.client.send({ method: 'POST', path: '/workflows', body, what: 'the new workflow' });
  const id = isObject(created) ? String(created.id ?? '') : '';
  const stored = await readBack(instance, id, body);
  const dropped = droppedPaths(workflowObject(input), stored);
  return { ...summaryOf(stored), publishable, problems: problems.slice(0, MAX_PROBLEMS), dropped };
}

/** Returns whether n8n would publish a workflow, and why not. */
async function verdictOf(
  instance: Instance,
  body: WorkflowBody,
  { userId, signal }: Caller,
): Promise<{ publishable: boolean; problems: string[] }> {
  const publishedWorkflows = await publishedCalledWorkflows(instance, body);
  const options = { level: 'publish', publishedWorkflows, userId, signal } as const;
  const { publishable, errors } = await validateWorkflow(body, instance.catalog, options);
  const problems = errors.map(({ node, message }) => (node === undefined ? message : `"${node}": ${message}`));
  return { publishable, problems: [...problems, ...(await missingCredentials(instance, body, signal))] };
}

const MAX_PROBLEMS = 10;

/** A change of a workflow. */
export interface Update {
  readonly operations: readonly unknown[];
  /** Rejects the change when the stored workflow has another version. */
  readonly versionId?: string | undefined;
}

/**
 * Changes a workflow by operations, reads it back and returns the changes. n8n publishes a change of an active workflow at once, so this requires
 * the right to activate. Raises `NOT_ALLOWED`, and `TOOL_FAILED` when the stored version differs.
 */
export async function updateWorkflow(
  instance: Instance,
  id: string,
  update: Update,
  caller: Caller = {},
): Promise<Changed & { readonly changes: WorkflowDiff }> {
  instance.policyCheck.write('updateWorkflow');
  const current = await fetchWorkflow(instance, id);
  if (update.versionId !== undefined && current.versionId !== update.versionId) {
    const message = `Workflow ${id} was changed by another user: its version is ${current.versionId}, not ${update.versionId}. Call getWorkflow again, then repeat the change.`;
    throw new ToolwrightError('TOOL_FAILED', message, { details: { versionId: current.versionId } });
  }
  const before = storedBody(current);
  const body = applyOperations(before, update.operations, instance.catalog);
  const { stored, ...changed } = await store(instance, id, { current, body }, caller);
  const after = storedBody(stored);
  const losses = lossesOf({ before, after, operations: update.operations, pinData: current.pinData }, instance.catalog);
  return { ...changed, problems: [...losses, ...changed.problems].slice(0, MAX_PROBLEMS) };
}

/**
 * Gives a workflow the nodes and connections of an earlier version, reads it back and returns the changes. Its name and settings
 * stay: n8n keeps no versions of them. Raises the errors of {@link updateWorkflow}.
 */
export async function restoreWorkflow(
  instance: Instance,
  id: string,
  versionId: string,
  caller: Caller = {},
): Promise<Changed & { readonly changes: WorkflowDiff }> {
  instance.policyCheck.write('restoreWorkflow');
  const [current, { nodes, connections }] = await Promise.all([
    fetchWorkflow(instance, id),
    fetchVersion(instance, id, versionId),
  ]);
  const body = storedBody({ ...current, nodes, connections });
  const { stored: _stored, ...changed } = await store(instance, id, { current, body }, caller);
  return changed;
}

/** Fetches the nodes and connections of a version of a workflow. */
export async function fetchVersion({ client }: Instance, id: string, versionId: string): Promise<JsonObject> {
  const path = `/workflows/${segment(id)}/${segment(versionId)}`;
  const version = await client.send({ path, what: `version ${versionId} of workflow ${id}` });
  if (isObject(version) && Array.isArray(version.nodes)) return version;
  throw new ToolwrightError('UPSTREAM_PROTOCOL', `n8n's response for version ${versionId} has no nodes. Update n8n.`);
}

interface Replacement {
  readonly current: JsonObject;
  readonly body: WorkflowBody;
}

/** Replaces a stored workflow. If n8n refuses to publish the change of an active one, the previous one is restored. */
async function store(
  instance: Instance,
  id: string,
  { current, body }: Replacement,
  caller: Caller,
): Promise<Changed & { readonly changes: WorkflowDiff; readonly stored: JsonObject }> {
  const { policyCheck, catalog } = instance;
  const before = storedBody(current);
  if (current.active === true) policyCheck.action('activate', id);
  policyCheck.nodes(typesOf(toBody(body, catalog)));
  if (current.active === true) refuseCycles({ ...body }, catalog);
  const { publishable, problems } = await verdictOf(instance, body, caller);
  try {
    await replace(instance, id, body);
  } catch (error) {
    if (current.active === true) throw await putBack(instance, id, before, error);
    throw error;
  }
  const stored = await readBack(instance, id, body);
  return {
    ...summaryOf(stored),
    changes: diffOf(before, storedBody(stored), catalog),
    publishable,
    problems: problems.slice(0, MAX_PROBLEMS),
    dropped: droppedPaths(current, stored),
    stored,
  };
}

function replace({ client }: Instance, id: string, body: WorkflowBody): Promise<unknown> {
  return client.send({ method: 'PUT', path: `/workflows/${segment(id)}`, body, what: `the change of workflow ${id}` });
}

/** Restores a published workflow. n8n stores a change before it tries to publish it, so a rejected change would stay. */
async function putBack(instance: Instance, id: string, before: WorkflowBody, refusal: unknown): Promise<unknown> {
  if (!(refusal instanceof ToolwrightError) || refusal.code !== 'TOOL_FAILED') return refusal;
  const { message, details } = refusal;
  const rollback = await replace(instance, id, before).then(
    () => 'Toolwright restored the previous workflow.',
    (error: unknown) =>
      `Toolwright could not restore the previous workflow: ${messageOf(error)} Check it before you continue.`,
  );
  return new ToolwrightError('TOOL_FAILED', `${message} ${rollback}`, { details, cause: refusal });
}

/** Deletes a workflow and verifies the deletion. */
export async function deleteWorkflow(instance: Instance, id: string): Promise<{ id: string; deleted: true }> {
  instance.policyCheck.write('deleteWorkflow');
  instance.policyCheck.action('delete', id);
  await instance.client.send({ method: 'DELETE', path: `/workflows/${segment(id)}`, what: `workflow ${id}` });
  const left = await fetchWorkflow(instance, id).catch((error: unknown) => {
    if (error instanceof ToolwrightError && error.details.status === 404) return undefined;
    throw error;
  });
  if (left === undefined) return { id, deleted: true };
  throw new ToolwrightError(
    'TOOL_FAILED',
    `n8n accepted the deletion of workflow ${id}, but the workflow still exists. Check n8n's log.`,
  );
}

/** Publishes or unpublishes a workflow. Older versions of n8n call this activate and deactivate. */
export async function setActive(instance: Instance, id: string, active: boolean): Promise<WorkflowSummary> {
  instance.policyCheck.write(active ? 'activateWorkflow' : 'deactivateWorkflow');
  instance.policyCheck.action('activate', id);
  const current = await fetchWorkflow(instance, id);
  if (active) {
    instance.policyCheck.nodes(typesOf(toBody(current, instance.catalog)));
    refuseCycles(current, instance.catalog);
    await refuseMissingCredentials(instance, current);
  }
  await sendFirst(
    instance.client,
    [
      { path: `/workflows/${segment(id)}/${active ? 'publish' : 'unpublish'}` },
      { path: `/workflows/${segment(id)}/${active ? 'activate' : 'deactivate'}` },
    ],
    `the ${active ? 'publication' : 'deactivation'} of workflow ${id}`,
  );
  const stored = await fetchWorkflow(instance, id);
  if (stored.active === active) return summaryOf(stored);
  const state = active ? 'not active' : 'still active';
  throw new ToolwrightError(
    'TOOL_FAILED',
    `n8n accepted the request, but workflow ${id} is ${state}. Check n8n's log.`,
  );
}

/** Rejects workflows with a cycle that hangs n8n. Raises `TOOL_FAILED`. */
export function refuseCycles(workflow: JsonObject, catalog: NodeCatalog): void {
  const [cycle] = exitlessCycles(workflow, catalog);
  if (cycle) throw new ToolwrightError('TOOL_FAILED', `${cycle.message} ${cycle.fix}`);
}

/** Calls the second endpoint when n8n does not know the first. */
async function sendFirst(
  client: N8nClient,
  ways: readonly { readonly path: string }[],
  what: string,
): Promise<unknown> {
  const [first, second] = ways;
  try {
    return await client.send({ method: 'POST', path: first?.path ?? '', what });
  } catch (error) {
    const status = error instanceof ToolwrightError ? error.details.status : undefined;
    if (second === undefined || (status !== 404 && status !== 405)) throw error;
    return client.send({ method: 'POST', path: second.path, what });
  }
}

async function readBack(instance: Instance, id: string, sent: WorkflowBody): Promise<JsonObject> {
  const stored = await fetchWorkflow(instance, id);
  const names = (nodes: unknown): string[] =>
    (Array.isArray(nodes) ? nodes : []).map((node: JsonObject) => String(node.name)).sort();
  const isSame = stored.name === sent.name && names(stored.nodes).join('\n') === names(sent.nodes).join('\n');
  if (isSame) return stored;
  const message = `n8n accepted workflow ${id}, but stored different content. Check the workflow before you continue.`;
  throw new ToolwrightError('TOOL_FAILED', message, { details: { id } });
}

/** Returns the types of all nodes. */
export function typesOf({ nodes }: WorkflowBody): string[] {
  return nodes.map(({ type }) => String(type));
}

/** Returns the ids of the called workflows that are published on the instance. */
export async function publishedCalledWorkflows(instance: Instance, body: WorkflowBody): Promise<string[]> {
  const ids = readWorkflow(body).nodes.map((node) => calledWorkflow(node, node.parameters));
  const called = [...new Set(ids.filter((id) => id !== undefined))];
  const states = await Promise.all(called.map((id) => isPublished(instance, id)));
  return called.filter((_id, index) => states[index]);
}

async function isPublished(instance: Instance, id: string): Promise<boolean> {
  const found = await fetchWorkflow(instance, id).catch((error: unknown) => {
    if (error instanceof ToolwrightError && error.details.status === 404) return undefined;
    throw error;
  });
  return isObject(found) && found.active === true;
}
