// `toolwright/openai-agents`: the tools of Toolwright for the OpenAI Agents SDK.
import { type FunctionTool, RunContext, tool } from '@openai/agents';
import type { InlineConnectorOptions, Toolwright } from '@toolwright/core';
import { type CodeToolAnswer, type CodeToolsOptions, createCodeTools } from '@toolwright/server';
import { serverOf } from './own-tools.ts';

export { codePrompt } from './code-prompt.ts';

/**
 * Returns the tools of a Toolwright for an `Agent`. Calls that need an approval arrive as an interruption of the run, for
 * `continue_execution`. Show the calls of `createCodeTools(toolwright).approval(approvalId)` to the user, and approve or reject it.
 */
export function codeTools(toolwright: Toolwright, options: Omit<CodeToolsOptions, 'canContinue'> = {}): FunctionTool[] {
  const tools = createCodeTools(toolwright, options);
  return tools.definitions.map(({ name, description, inputSchema }) => {
    const needsApproval = name === 'continue_execution';
    return tool({
      name,
      description,
      parameters: { required: [], ...inputSchema, additionalProperties: true },
      strict: false,
      needsApproval,
      errorFunction: null,
      async execute(input, context, { toolCall, signal } = {}) {
        // A second check, so that a runner that ignores `needsApproval` decides nothing.
        const isApproved = toolCall && context?.isToolApproved({ toolName: name, callId: toolCall.callId });
        const decision = { isApproved: true, by: 'the user of the Agents SDK', signal };
        const isDecided = needsApproval && isApproved === true;
        const answer = await (isDecided
          ? tools.decide(Object(input).approvalId, decision)
          : tools.call(name, input, { signal }));
        return shown(answer);
      },
    });
  });
}

/** Returns a server with function tools of the Agents SDK, for `createToolwright({ tools: { app: toolServer([…]) } })`. */
export function toolServer(tools: readonly FunctionTool[]): InlineConnectorOptions {
  return serverOf(
    tools.map((own) => ({
      name: own.name,
      description: own.description,
      inputSchema: own.parameters,
      run: (args) => own.invoke(new RunContext(), JSON.stringify(args)),
    })),
  );
}

type ToolOutput = Awaited<ReturnType<Parameters<typeof tool>[0]['execute']>>;

/** Returns the text, or a list with images. Models of OpenAI read no recordings of tools. */
function shown({ text, media = [] }: CodeToolAnswer): ToolOutput {
  const images = media.filter(({ type }) => type === 'image');
  if (images.length === 0) return text;
  const blocks = images.map(({ data, mimeType }) => ({
    type: 'image' as const,
    image: { data, mediaType: mimeType },
  }));
  return [{ type: 'text', text }, ...blocks];
}
