// `toolwright/langchain`: the tools of Toolwright for LangChain and LangGraph, from version 1 on.
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { interrupt } from '@langchain/langgraph';
import type { InlineConnectorOptions, Toolwright } from '@toolwright/core';
import {
  type ApprovalDecision,
  type CodeToolsOptions,
  createCodeTools,
  type PendingApproval,
} from '@toolwright/server';
import { serverOf } from './own-tools.ts';

export { codePrompt } from './code-prompt.ts';

/**
 * Returns the tools of a Toolwright for `createAgent` and `ToolNode`. Calls that need an approval interrupt the graph: the value of
 * the interrupt is a `PendingApproval`, and an `ApprovalDecision` resumes it (`new Command({ resume: { isApproved: true } })`). The
 * graph needs a checkpointer. The artifact of a tool message is the whole `CodeToolAnswer`.
 */
export function codeTools(
  toolwright: Toolwright,
  options: Omit<CodeToolsOptions, 'canContinue'> = {},
): StructuredToolInterface[] {
  const tools = createCodeTools(toolwright, options);
  return tools.definitions.map(({ name, description, inputSchema }) => {
    const run = async (input: Record<string, unknown>, { signal }: { readonly signal?: AbortSignal }) => {
      const ask = (pending: PendingApproval): ApprovalDecision => {
        const { isApproved, by, note } = interrupt<PendingApproval, ApprovalDecision>(pending);
        return { isApproved: isApproved === true, by, note, signal };
      };
      const isContinue = name === 'continue_execution';
      const answer = await (isContinue ? tools.decide(input.approvalId, ask) : tools.call(name, input, { signal }));
      return [answer.text, answer];
    };
    return tool(run, { name, description, schema: inputSchema, responseFormat: 'content_and_artifact' });
  });
}

/** Returns a server with tools of LangChain, for `createToolwright({ tools: { app: toolServer([…]) } })`. */
export function toolServer(tools: readonly StructuredToolInterface[]): InlineConnectorOptions {
  return serverOf(
    tools.map((own) => ({
      name: own.name,
      description: own.description,
      inputSchema: toJsonSchema(own.schema),
      run: (args, { signal }) => own.invoke(args, { signal }),
    })),
  );
}
