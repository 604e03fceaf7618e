import { isObject, type JsonObject, shown } from '../json.ts';
import type { Finding } from './finding.ts';
import type { Workflow, WorkflowNode } from './workflow.ts';

/** What validation may know of the instance that the workflow is for. */
export interface InstanceFacts {
  /** Ids of workflows that are published there: others cannot be called. */
  readonly publishedWorkflows?: readonly string[] | undefined;
}

const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';

/** The id of the workflow that a node calls, when n8n wants that one published; undefined for all other nodes. */
export function calledWorkflow(node: WorkflowNode, { workflowId, source }: JsonObject): string | undefined {
  if (node.type !== EXECUTE_WORKFLOW || node.disabled) return undefined;
  const id = isObject(workflowId) ? workflowId.value : workflowId;
  const isElsewhere = Boolean(source) && source !== 'database';
  return typeof id !== 'string' || id === '' || id.startsWith('=') || isElsewhere ? undefined : id;
}

/** Calls of workflows that are not known to be published. A workflow may call itself. */
export function subworkflowFindings(
  { raw }: Workflow,
  checked: readonly { readonly node: WorkflowNode; readonly parameters: JsonObject }[],
  { publishedWorkflows }: InstanceFacts,
): Finding[] {
  return checked.flatMap(({ node, parameters }): Finding[] => {
    const id = calledWorkflow(node, parameters);
    if (id === undefined || id === raw.id || publishedWorkflows?.includes(id)) return [];
    const known = publishedWorkflows === undefined ? 'nothing tells that it is' : 'it is not';
    const message = `The workflow ${shown(id)} that it calls must be published, and ${known}.`;
    const fix = 'Publish that workflow first, and name it in publishedWorkflows; or pass the id as an expression.';
    return [{ code: 'SUBWORKFLOW_NOT_PUBLISHED', node: node.name, path: 'parameters.workflowId', message, fix }];
  });
}
