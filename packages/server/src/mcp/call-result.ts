import { basename } from 'node:path/posix';
import type { CallToolResult, ResourceLink, ServerContext } from '@modelcontextprotocol/server';
import type { FileLink, ToolResponse } from '../agent/loop/tool-response.ts';
import { executionFileUri } from './sessions/execution-files.ts';
import { sessionFileUri } from './sessions/session-files.ts';

/** The key in `_meta` of a call by which a client asks for the answer as data too. */
export const DATA_META = 'toolwright/data';

/** Returns the block of a file that the client can read. */
function resourceLink({ sessionId, executionId, path, name, mimeType, bytes: size }: FileLink): ResourceLink {
  const uri = sessionId === undefined ? executionFileUri(executionId, path) : sessionFileUri(sessionId, path);
  return { type: 'resource_link', uri, name: name ?? basename(path), mimeType, size };
}

/** Returns whether the client asks for data. */
export function asksForData({ mcpReq }: ServerContext): boolean {
  return mcpReq._meta?.[DATA_META] === true;
}

/**
 * Converts a tool response to the result type of MCP. Without `withData` it has only the text, which is complete. Many clients
 * show a model the structured content and `_meta` as well, so the model would pay twice.
 */
export function toCallResult(response: ToolResponse, asksData: boolean): CallToolResult {
  const { text, structured, isError, meta, media = [], links = [] } = response;
  // Some clients drop the content when there is structured content, and the images with it.
  const withData = asksData && media.length + links.length === 0;
  return {
    content: [{ type: 'text', text }, ...media, ...links.map(resourceLink)],
    structuredContent: withData ? { ...structured } : undefined,
    isError: isError || undefined,
    _meta: withData && meta ? { ...meta } : undefined,
  };
}
