import { ToolwrightError } from '@toolwright/core/errors';
import { isObject } from '../json.ts';
import { calledWorkflow } from '../validation/subworkflows.ts';
import { readWorkflow } from '../validation/workflow.ts';
import type { WorkflowBody } from './body.ts';
import { fetchWorkflow, type Instance } from './instance.ts';

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
