import { ToolwrightError } from '@toolwright/core';
import { messageOf } from '@toolwright/core/internal';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { ApiRequest, N8nClient } from '../instances/client.ts';
import { isObject, type JsonObject } from '../json.ts';
import { validateWorkflow } from '../validation/validate.ts';
import { toBody, type WorkflowBody } from './body.ts';
import { publishedCalledWorkflows } from './called-workflows.ts';
import { fetchWorkflow, type Instance, segment } from './instance.ts';
import { applyOperations } from './operations.ts';
import { summaryOf, type WorkflowSummary } from './summary.ts';

/** Creates a workflow, not active, and reads it back. */
export async function createWorkflow(
  instance: Instance,
  input: unknown,
): Promise<WorkflowSummary & { publishable: boolean; problems: readonly string[] }> {
  instance.policyCheck.write('createWorkflow');
  const body = toBody(input, instance.catalog);
  instance.policyCheck.nodes(typesOf(body));
  const publishedWorkflows = await publishedCalledWorkflows(instance, body);
  const validation = validateWorkflow(body, instance.catalog, { level: 'publish', publishedWorkflows });
  const created = await instance.client.send({ method: 'POST', path: '/workflows', body, what: 'the new workflow' });
  const id = isObject(created) ? String(created.id ?? '') : '';
  const stored = await readBack(instance, id, body);
  const problems = validation.errors.map(({ node, message }) =>
    node === undefined ? message : `"${node}": ${message}`,
  );
  return { ...summaryOf(stored), publishable: validation.publishable, problems: problems.slice(0, MAX_PROBLEMS) };
}

const MAX_PROBLEMS = 10;

/** What changes a workflow. */
export interface Update {
  readonly operations: readonly unknown[];
  /** Refuses when someone else changed the workflow since this version. */
  readonly versionId?: string | undefined;
}

/**
 * Changes a workflow by operations and reads it back. n8n publishes a change of an active workflow at once, so that needs
 * the right to activate. Raises `NOT_ALLOWED`, and `TOOL_FAILED` when the version is another one.
 */
export async function updateWorkflow(instance: Instance, id: string, update: Update): Promise<WorkflowSummary> {
  instance.policyCheck.write('updateWorkflow');
  const current = await fetchWorkflow(instance, id);
  if (update.versionId !== undefined && current.versionId !== update.versionId) {
    const message = `Workflow ${id} was changed by someone else: it is at version ${current.versionId}, not ${update.versionId}. Get it again, then repeat the change.`;
    throw new ToolwrightError('TOOL_FAILED', message, { details: { versionId: current.versionId } });
  }
  if (current.active === true) instance.policyCheck.action('activate', id);
  const before = toBody(current, instance.catalog);
  const body = toBody(applyOperations(before, update.operations, instance.catalog), instance.catalog);
  instance.policyCheck.nodes(typesOf(body));
  if (current.active === true) refuseCycles({ ...body }, instance.catalog);
  try {
    await replace(instance, id, body);
  } catch (error) {
    if (current.active === true) throw await putBack(instance, id, before, error);
    throw error;
  }
  return summaryOf(await readBack(instance, id, body));
}

function replace({ client }: Instance, id: string, body: WorkflowBody): Promise<unknown> {
  return client.send({ method: 'PUT', path: `/workflows/${segment(id)}`, body, what: `the change of workflow ${id}` });
}

/** n8n stores a change of a published workflow before it finds that it cannot publish it: the refused one would stay. */
async function putBack(instance: Instance, id: string, before: WorkflowBody, refusal: unknown): Promise<unknown> {
  if (!(refusal instanceof ToolwrightError) || refusal.code !== 'TOOL_FAILED') return refusal;
  const { message, details } = refusal;
  const rollback = await replace(instance, id, before).then(
    () => 'The workflow was put back as it was.',
    (error: unknown) => `It could not be put back as it was: ${messageOf(error)} Look at it before you go on.`,
  );
  return new ToolwrightError('TOOL_FAILED', `${message} ${rollback}`, { details, cause: refusal });
}

/** Deletes a workflow and makes sure that it is gone. */
export async function deleteWorkflow(instance: Instance, id: string): Promise<{ id: string; deleted: true }> {
  instance.policyCheck.write('deleteWorkflow');
  instance.policyCheck.action('delete', id);
  await instance.client.send({ method: 'DELETE', path: `/workflows/${segment(id)}`, what: `workflow ${id}` });
  const left = await fetchWorkflow(instance, id).catch((error: unknown) => {
    if (error instanceof ToolwrightError && error.details.status === 404) return undefined;
    throw error;
  });
  if (left === undefined) return { id, deleted: true };
  throw new ToolwrightError('TOOL_FAILED', `n8n took the deletion of workflow ${id}, and it is still there.`);
}

/** Publishes a workflow, or takes it back. Newer versions of n8n call it publish; older ones activate. */
export async function setActive(instance: Instance, id: string, active: boolean): Promise<WorkflowSummary> {
  instance.policyCheck.write(active ? 'activateWorkflow' : 'deactivateWorkflow');
  instance.policyCheck.action('activate', id);
  const current = await fetchWorkflow(instance, id);
  if (active) {
    instance.policyCheck.nodes(typesOf(toBody(current, instance.catalog)));
    refuseCycles(current, instance.catalog);
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
  throw new ToolwrightError('TOOL_FAILED', `n8n took the request, and workflow ${id} is ${state}. Look at n8n's log.`);
}

/** Refuses to let n8n run what hangs it. Raises `TOOL_FAILED`. */
export function refuseCycles(workflow: JsonObject, catalog: NodeCatalog): void {
  const cycle = validateWorkflow(workflow, catalog).errors.find(({ code }) => code === 'EXITLESS_CYCLE');
  if (cycle) throw new ToolwrightError('TOOL_FAILED', `${cycle.message} ${cycle.fix}`);
}

/** Takes the second way where a version of n8n does not know the first. */
async function sendFirst(client: N8nClient, ways: readonly Pick<ApiRequest, 'path'>[], what: string): Promise<unknown> {
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
  const message = `n8n took workflow ${id}, but what it stores is not what was sent: look at it before you go on.`;
  throw new ToolwrightError('TOOL_FAILED', message, { details: { id } });
}

/** Types of all nodes. */
export function typesOf({ nodes }: WorkflowBody): string[] {
  return nodes.map(({ type }) => String(type));
}
