import type { Toolwright } from '@toolwright/core';
import { redactedText } from '../redaction.ts';

/** Returns the line that calls a tool, without its result type, redacted for a model. Raises `UNKNOWN_TOOL`. */
export function callLine(toolwright: Toolwright, tool: string, userId?: string): Promise<string> {
  const options = { userId };
  return redactedText(() => toolwright.describe(tool, 'call', options), toolwright.pii, userId);
}
