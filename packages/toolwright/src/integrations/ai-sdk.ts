// `toolwright/ai-sdk`: the tools of Toolwright for the Vercel AI SDK, from version 6 on.
import type { InlineConnectorOptions, Toolwright } from '@toolwright/core';
import { ToolwrightError } from '@toolwright/core/errors';
import { type CodeProgress, type CodeToolAnswer, type CodeToolsOptions, createCodeTools } from '@toolwright/server';
import type { ModelMessage, Tool, ToolSet } from 'ai';
import * as ai from 'ai';
import { serverOf } from './own-tools.ts';

export { codePrompt } from './code-prompt.ts';

/** The output of a tool. A preliminary one has no text, and the steps of the running program so far. */
export interface CodeToolOutput extends CodeToolAnswer {
  readonly steps?: readonly CodeProgress[];
}

/** Steps in one preliminary output: the last ones. */
const MAX_STEPS = 20;

/**
 * Returns the tools of a Toolwright for `generateText`, `streamText` and `ToolLoopAgent`. Calls that need an approval arrive as
 * `tool-approval-request` of `continue_execution`. A running program has preliminary results, which are a `CodeToolOutput` with `steps`. Show the calls of `createCodeTools(toolwright).approval(input.approvalId)` to the
 * user, and answer the request. Raises `CONFIG_INVALID` for a version of the AI SDK without approvals.
 */
export function codeTools(toolwright: Toolwright, options: Omit<CodeToolsOptions, 'canContinue'> = {}): ToolSet {
  if (!('ToolLoopAgent' in ai)) {
    throw new ToolwrightError(
      'CONFIG_INVALID',
      'toolwright/ai-sdk needs the package ai in version 6 or later: npm install ai@6',
    );
  }
  const tools = createCodeTools(toolwright, options);
  const entries = tools.definitions.map(({ name, description, inputSchema }): [string, Tool] => {
    const common = { description, inputSchema: ai.jsonSchema<Record<string, unknown>>(inputSchema), toModelOutput };
    if (name !== 'continue_execution') {
      return [
        name,
        ai.tool({
          ...common,
          execute: (input, { abortSignal: signal }) =>
            streamed((onProgress) => tools.call(name, input, { signal, onProgress })),
        }),
      ];
    }
    const execute = (input: Record<string, unknown>, { messages, toolCallId, abortSignal: signal }: CallOptions) =>
      isApproved(messages, toolCallId)
        ? tools.decide(input.approvalId, { isApproved: true, by: 'the user of the AI SDK', signal })
        : tools.call(name, input);
    return [name, ai.tool({ ...common, needsApproval: true, execute })];
  });
  return Object.fromEntries(entries);
}

/** Returns a server with tools of the AI SDK, for `createToolwright({ tools: { app: toolServer({ … }) } })`. */
export async function toolServer(tools: ToolSet): Promise<InlineConnectorOptions> {
  const own = Object.entries(tools).map(async ([name, { description, inputSchema, execute }]) => {
    if (!execute) throw new ToolwrightError('CONFIG_INVALID', `The tool ${name} has no function "execute".`);
    const schema = ai.asSchema(inputSchema);
    return {
      name,
      description,
      inputSchema: (await schema.jsonSchema) as Record<string, unknown>,
      async run(args: Readonly<Record<string, unknown>>, { signal }: { readonly signal: AbortSignal }) {
        const checked = await schema.validate?.(args);
        if (checked && !checked.success) throw checked.error;
        const input = checked ? checked.value : args;
        return execute(input, { toolCallId: crypto.randomUUID(), messages: [], abortSignal: signal });
      },
    };
  });
  return serverOf(await Promise.all(own));
}

/** Returns the answer as a promise that is also its stream: the steps so far, then the answer. The AI SDK reads the stream. */
function streamed(
  run: (onProgress: (step: CodeProgress) => void) => Promise<CodeToolAnswer>,
): Promise<CodeToolAnswer> & AsyncIterable<CodeToolOutput> {
  const steps: CodeProgress[] = [];
  let isEnded = false;
  let shown = 0;
  let wake = () => {};
  const answer = run((step) => {
    steps.push(step);
    wake();
  });
  const end = () => {
    isEnded = true;
    wake();
  };
  answer.then(end, end);
  async function* stream(): AsyncGenerator<CodeToolOutput> {
    while (!isEnded || steps.length > shown) {
      if (steps.length === shown) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      shown = steps.length;
      yield { text: '', isError: false, steps: steps.slice(-MAX_STEPS) };
    }
    yield await answer;
  }
  return Object.assign(answer, { [Symbol.asyncIterator]: stream });
}

interface CallOptions {
  readonly messages: readonly ModelMessage[];
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The model reads the text and the images; the message of the app keeps the whole answer, with the pending calls. */
function toModelOutput({ output }: { readonly output: CodeToolAnswer }) {
  const { text, media = [] } = output;
  if (media.length > 0) {
    const shown = media.map(({ type, data, mimeType: mediaType }) => ({
      type: type === 'image' ? ('image-data' as const) : ('file-data' as const),
      data,
      mediaType,
    }));
    return { type: 'content' as const, value: [{ type: 'text' as const, text }, ...shown] };
  }
  return { type: output.isError ? ('error-text' as const) : ('text' as const), value: output.text };
}

/** Whether a person approved this call: a second check, so that a loop that ignores `needsApproval` decides nothing. */
function isApproved(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const requests = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
  const responses = messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
  return requests.some(
    (request) =>
      request.type === 'tool-approval-request' &&
      request.toolCallId === toolCallId &&
      responses.some(
        (response) =>
          response.type === 'tool-approval-response' && response.approvalId === request.approvalId && response.approved,
      ),
  );
}
