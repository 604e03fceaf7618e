// `toolwright/langchain`: the tools of Toolwright for LangChain and LangGraph, from version 1 on.
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { interrupt } from '@langchain/langgraph';
import type { InlineConnectorOptions, Toolwright } from '@toolwright/core';
import {
  type ApprovalDecision,
  type CodeToolAnswer,
  type CodeToolsOptions,
  createCodeTools,
  type PendingApproval,
} from '@toolwright/server';
import { serverOf } from './own-tools.ts';

export { codePrompt } from './code-prompt.ts';

/**
 * Returns the tools of a Toolwright for `createAgent` and `ToolNode`. Calls that need an approval interrupt the graph: the value of
 * the interrupt is a `PendingApproval`, and an `ApprovalDecision` resumes it (`new Command({ resume: { isApproved: true } })`). The
 * graph needs a checkpointer. Calls and progress of programs are chunks of the stream mode `custom`. The artifact of a tool message is the `CodeToolAnswer` without `media`.
 */
export function codeTools(
  toolwright: Toolwright,
  options: Omit<CodeToolsOptions, 'canContinue'> = {},
): StructuredToolInterface[] {
  const tools = createCodeTools(toolwright, options);
  return tools.definitions.map(({ name, description, inputSchema }) => {
    const run = async (input: Record<string, unknown>, { signal, writer }: RunConfig) => {
      const ask = (pending: PendingApproval): ApprovalDecision => {
        const { isApproved, by, note } = interrupt<PendingApproval, ApprovalDecision>(pending);
        return { isApproved: isApproved === true, by, note, signal };
      };
      const isContinue = name === 'continue_execution';
      const answer = await (isContinue
        ? tools.decide(input.approvalId, ask)
        : tools.call(name, input, { signal, onProgress: writer }));
      return forMessage(answer);
    };
    return tool(run, { name, description, schema: inputSchema, responseFormat: 'content_and_artifact' });
  });
}

interface RunConfig {
  readonly signal?: AbortSignal;
  /** Writes to the custom stream of LangGraph. */
  readonly writer?: (chunk: unknown) => void;
}

/** Returns the content of a tool message with its images, and the artifact without them: a checkpoint would have them twice. */
function forMessage({ media = [], ...answer }: CodeToolAnswer): [content: string | object[], artifact: object] {
  if (media.length === 0) return [answer.text, answer];
  const shown = media.map(({ type, mimeType, data }) =>
    type === 'image'
      ? { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } }
      : { type, source_type: 'base64', mime_type: mimeType, data },
  );
  return [[{ type: 'text', text: answer.text }, ...shown], answer];
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
