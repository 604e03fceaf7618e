// `toolwright/mastra`: the tools of Toolwright for agents of Mastra, from version 1 on.
import { createTool, type ToolAction } from '@mastra/core/tools';
import type { InlineConnectorOptions, Toolwright } from '@toolwright/core';
import { type CodeToolsOptions, createCodeTools } from '@toolwright/server';
import * as z from 'zod';
import { serverOf } from './own-tools.ts';

export { codePrompt } from './code-prompt.ts';

/**
 * Returns the tools of a Toolwright for an `Agent`. Calls that need an approval suspend the tool: its payload is a
 * `PendingApproval`, and an `ApprovalDecision` resumes it (`agent.resumeGenerate({ isApproved: true }, { runId, toolCallId })`).
 */
export function codeTools(
  toolwright: Toolwright,
  options: Omit<CodeToolsOptions, 'canContinue'> = {},
): Record<string, ToolAction> {
  const tools = createCodeTools(toolwright, options);
  const entries = tools.definitions.map(({ name, description, inputSchema }): [string, ToolAction] => {
    const execute: Parameters<typeof createTool>[0]['execute'] = async (input, { agent, abortSignal: signal } = {}) => {
      if (name !== 'continue_execution') return (await tools.call(name, input, { signal })).text;
      const { approvalId } = Object(input);
      const reply: { isApproved?: unknown; by?: string; note?: string } | undefined = agent?.resumeData ?? undefined;
      if (reply === undefined && agent?.suspend) return agent.suspend(await tools.approval(approvalId));
      if (reply === undefined) return (await tools.call(name, input)).text;
      const { by, note } = reply;
      return (await tools.decide(approvalId, { isApproved: reply.isApproved === true, by, note, signal })).text;
    };
    return [name, createTool({ id: name, description, inputSchema: z.fromJSONSchema({ ...inputSchema }), execute })];
  });
  return Object.fromEntries(entries);
}

/** Returns a server with tools of Mastra, for `createToolwright({ tools: { app: toolServer({ … }) } })`. */
export function toolServer(tools: Readonly<Record<string, ToolAction>>): InlineConnectorOptions {
  return serverOf(
    Object.entries(tools).map(([name, { description, inputSchema, execute }]) => ({
      name,
      description,
      inputSchema: inputSchema instanceof z.ZodType ? z.toJSONSchema(inputSchema, { io: 'input' }) : { type: 'object' },
      run: (args, { signal }) => execute?.(args, { abortSignal: signal }),
    })),
  );
}
