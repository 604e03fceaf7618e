import type { ToolDefinition } from '@toolwright/connectors';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const WHERE = { uri: { type: 'string' }, server: { type: ['string', 'null'] } };

/** The longest wait for an update of a resource, in milliseconds. */
export const MAX_UPDATE_WAIT_MS = 60 * 60 * 1_000;

/**
 * Requests about resources as calls of tools: they pass the stages of all tool calls. The tool of a server has the id
 * `server__resources/read`, which rules of the policy can name.
 */
export const RESOURCE_TOOLS: Readonly<Record<string, ToolDefinition>> = {
  'resources/read': {
    name: 'resources/read',
    description: 'Reads a resource of the server.',
    inputSchema: { type: 'object', properties: WHERE, required: ['uri'] },
    annotations: READS,
  },
  'resources/subscribe': {
    name: 'resources/subscribe',
    description: 'Waits for an update of a resource.',
    inputSchema: {
      type: 'object',
      properties: { ...WHERE, timeoutMs: { type: 'number', minimum: 0, maximum: MAX_UPDATE_WAIT_MS } },
      required: ['uri', 'timeoutMs'],
    },
    annotations: READS,
  },
};
