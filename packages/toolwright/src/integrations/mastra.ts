// `toolwright/mastra`: the tools of Toolwright for agents of Mastra, from version 1 on.
import { createTool, type ToolAction } from '@mastra/core/tools';
import type { InlineConnectorOptions, Toolwright } from '@toolwright/core';
import { type CodeToolAnswer, type CodeToolsOptions, createCodeTools } from '@toolwright/server';
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
      if (name !== 'continue_execution') return shown(await tools.call(name, input, { signal }));
      const { approvalId } = Object(input);
      const reply: { isApproved?: unknown; by?: string; note?: string } | undefined = agent?.resumeData ?? undefined;
      if (reply === undefined && agent?.suspend) return agent.suspend(await tools.approval(approvalId));
      if (reply === undefined) return (await tools.call(name, input)).text;
      const { by, note } = reply;
      return shown(await tools.decide(approvalId, { isApproved: reply.isApproved === true, by, note, signal }));
    };
    const schema = z.fromJSONSchema({ ...inputSchema });
    return [name, createTool({ id: name, description, inputSchema: schema, execute, toModelOutput })];
  });
  return Object.fromEntries(entries);
}

/** Returns the text, or the text with images, which {@link toModelOutput} shows to the model. */
function shown({ text, media }: CodeToolAnswer): string | ShownAnswer {
  return media ? { text, media } : text;
}

interface ShownAnswer {
  readonly text: string;
  readonly media: NonNullable<CodeToolAnswer['media']>;
}

/** Returns the output of a tool for the model, in the form of the AI SDK. */
function toModelOutput(output: unknown): object {
  if (typeof output === 'string') return { type: 'text', value: output };
  const { text = '', media = [] }: Partial<ShownAnswer> = Object(output);
  const blocks = media.map(({ data, mimeType: mediaType }) => ({ type: 'media', data, mediaType }));
  return { type: 'content', value: [{ type: 'text', text }, ...blocks] };
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
