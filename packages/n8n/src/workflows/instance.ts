import { ToolwrightError } from '@toolwright/core';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { N8nClient } from '../instances/client.ts';
import type { PolicyCheck } from '../instances/policy.ts';
import { isObject, type JsonObject } from '../json.ts';

/** What functions on workflows of an instance work with. */
export interface Instance {
  readonly client: N8nClient;
  readonly policyCheck: PolicyCheck;
  readonly catalog: NodeCatalog;
}

/** Reads a workflow as the API gives it. */
export async function fetchWorkflow({ client }: Instance, id: string, signal?: AbortSignal): Promise<JsonObject> {
  const found = await client.send({ path: `/workflows/${segment(id)}`, what: `workflow ${id}`, signal });
  if (isObject(found) && Array.isArray(found.nodes)) return found;
  throw new ToolwrightError('UPSTREAM_PROTOCOL', `n8n's answer for workflow ${id} is no workflow.`);
}

/** An id as one part of a path, whatever is in it. */
export function segment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new ToolwrightError('INVALID_ARGUMENTS', 'An id is needed.');
  return encodeURIComponent(id);
}
