import type { Toolwright } from '@toolwright/core';
import { type CodeToolsOptions, createCodeTools } from '@toolwright/server';

/** Returns a text for the system prompt of an agent: the purpose of the tools, and the servers behind them. */
export function codePrompt(
  toolwright: Toolwright,
  options: Omit<CodeToolsOptions, 'canContinue'> = {},
): Promise<string> {
  return createCodeTools(toolwright, options).instructions();
}
