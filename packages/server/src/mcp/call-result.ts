import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ToolResponse } from '../agent/tool-response.ts';

/** Converts a tool response to the result type of MCP. */
export function toCallResult({ text, structured, isError, meta }: ToolResponse): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...structured },
    ...(isError ? { isError } : {}),
    ...(meta ? { _meta: { ...meta } } : {}),
  };
}
