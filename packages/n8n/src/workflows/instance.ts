import { ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { N8nClient } from '../instances/client.ts';
import type { PolicyCheck } from '../instances/policy.ts';
import { isObject, type JsonObject } from '../json.ts';

/** The client, policy and catalog of one instance. */
export interface Instance {
  readonly client: N8nClient;
  readonly policyCheck: PolicyCheck;
  readonly catalog: NodeCatalog;
}

/** Fetches a workflow from the API. */
export async function fetchWorkflow({ client }: Instance, id: string, signal?: AbortSignal): Promise<JsonObject> {
  const found = await client.send({ path: `/workflows/${segment(id)}`, what: `workflow ${id}`, signal });
  if (isObject(found) && Array.isArray(found.nodes)) return found;
  throw new ToolwrightError(
    'UPSTREAM_PROTOCOL',
    `n8n's response for workflow ${id} is not a workflow. Check that n8n.url is the address of n8n itself.`,
  );
}

/** Encodes an id as one segment of a URL path. Raises `INVALID_ARGUMENTS` for an empty id. */
export function segment(id: string): string {
  if (id === '' || id === '.' || id === '..')
    throw new ToolwrightError('INVALID_ARGUMENTS', `"${id}" is not an id. Pass the id of a workflow or an execution.`);
  return encodeURIComponent(id);
}
