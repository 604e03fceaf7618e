import { isObject, type JsonObject, shown } from '../json.ts';
import type { Finding } from './finding.ts';
import type { Workflow, WorkflowNode } from './workflow.ts';

/** Facts about the target instance. */
export interface InstanceFacts {
  /** Ids of the published workflows. Only these can be called. */
  readonly publishedWorkflows?: readonly string[] | undefined;
}

const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';

/** Returns the id of the called workflow when n8n requires it to be published; undefined for all other nodes. */
export function calledWorkflow(node: WorkflowNode, { workflowId, source }: JsonObject): string | undefined {
  if (node.type !== EXECUTE_WORKFLOW || node.disabled) return undefined;
  const id = isObject(workflowId) ? workflowId.value : workflowId;
  const isElsewhere = Boolean(source) && source !== 'database';
  return typeof id !== 'string' || id === '' || id.startsWith('=') || isElsewhere ? undefined : id;
}

/** Returns calls of workflows that are not known to be published. A workflow may call itself. */
export function subworkflowFindings(
  { raw }: Workflow,
  checked: readonly { readonly node: WorkflowNode; readonly parameters: JsonObject }[],
  { publishedWorkflows }: InstanceFacts,
): Finding[] {
  return checked.flatMap(({ node, parameters }): Finding[] => {
    const id = calledWorkflow(node, parameters);
    if (id === undefined || id === raw.id || publishedWorkflows?.includes(id)) return [];
    const known = publishedWorkflows === undefined ? 'its state is unknown' : 'it is not';
    const message = `The called workflow ${shown(id)} must be published, but ${known}.`;
    const fix = 'Publish that workflow first and list its id in publishedWorkflows, or pass the id as an expression.';
    return [{ code: 'SUBWORKFLOW_NOT_PUBLISHED', node: node.name, path: 'parameters.workflowId', message, fix }];
  });
}
