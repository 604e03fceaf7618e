import type { Connector, ToolCallOptions } from '../connector.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import { DEFAULT_CALL_TIMEOUT_MS } from '../servers/server-config.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { inlineDefinitions } from './definition.ts';
import { toPlainData } from './plain-data.ts';
import type { AnySchemas, InlineConnectorOptions, InlineTool, InlineToolContext } from './tool-types.ts';
import { type ToolRef, validateInput, validateOutput } from './validate.ts';

export type { InlineConnectorOptions, InlineServers, InlineTool, InlineToolContext } from './tool-types.ts';

/**
 * Creates a connector for functions of the embedding program. They run in this process, with all its rights. TypeScript
 * infers the arguments of each `run` from its `input` schema. Raises `CONFIG_INVALID` for an incomplete tool.
 */
export function inlineConnector<Inputs = AnySchemas, Outputs = AnySchemas>(
  name: string,
  options: InlineConnectorOptions<Inputs, Outputs>,
): Connector {
  const tools = toolsOf(name, options);
  const definitions = inlineDefinitions(name, tools);
  let isClosed = false;
  return {
    name,
    isTrusted: true,
    neverAsks: true,
    description: options.description,
    status: () => ({ state: isClosed ? 'closed' : 'ready', starts: 0 }),
    tools: async (): Promise<ToolDefinition[]> => [...definitions.values()],
    onToolsChanged: () => () => undefined,
    async call(tool, args, callOptions = {}) {
      if (isClosed) throw new ToolwrightError('CLOSED', `${name} is closed. Create a new connector.`);
      const inline = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
      if (inline === undefined) throw new ToolwrightError('UNKNOWN_TOOL', `${name} has no tool ${tool}.`);
      return run({ server: name, tool }, inline, args, callOptions);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}

/** Checks the shape of the options at the start, for programs that are not type-checked. */
function toolsOf(name: string, options: unknown): Readonly<Record<string, InlineTool>> {
  const { tools }: { readonly tools?: unknown } = Object(options);
  if (typeof tools === 'object' && tools !== null) return tools as Readonly<Record<string, InlineTool>>;
  const message = `The functions of ${name} belong under "tools": { ${name}: { tools: { … } } }.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

async function run(
  ref: ToolRef,
  inline: InlineTool,
  args: Readonly<Record<string, unknown>>,
  { signal, timeoutMs = DEFAULT_CALL_TIMEOUT_MS, onProgress = () => undefined, userId }: ToolCallOptions,
): Promise<unknown> {
  const label = `${ref.tool} on ${ref.server}`;
  const ending = createEnding();
  const timer = setTimeout(() => ending.end(timedOut(label, timeoutMs)), timeoutMs);
  const onAbort = (): void => ending.end(new ToolwrightError('CANCELLED', `The call of ${label} was cancelled.`));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const caller = { userId };
    const context: InlineToolContext = {
      onProgress,
      ...caller,
      get signal() {
        return ending.signal();
      },
    };
    return toPlainData(await ending.race(() => runValidated(ref, inline, args, context)));
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    throw new ToolwrightError('TOOL_FAILED', messageOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The early end of one call. Its signal is created for the functions that use it: most do not. */
function createEnding() {
  let controller: AbortController | undefined;
  let reason: ToolwrightError | undefined;
  let reject: (reason: ToolwrightError) => void = () => undefined;
  return {
    end(error: ToolwrightError) {
      reason ??= error;
      controller?.abort(reason);
      reject(reason);
    },
    signal() {
      controller ??= new AbortController();
      if (reason) controller.abort(reason);
      return controller.signal;
    },
    /** Resolves like `work`, or rejects when the call ends first. Then work does not start, or its result is ignored. */
    race: <Result>(work: () => Promise<Result>) =>
      new Promise<Result>((resolve, rejectRace) => {
        reject = rejectRace;
        if (reason) reject(reason);
        else work().then(resolve, rejectRace);
      }),
  };
}

async function runValidated(
  ref: ToolRef,
  inline: InlineTool,
  args: Readonly<Record<string, unknown>>,
  context: InlineToolContext,
): Promise<unknown> {
  // The caller still needs the arguments: a function may change its own.
  const own = toPlainData(args);
  const given = inline.input === undefined ? own : await validateInput(inline.input, own, ref);
  const value = await inline.run(given as Readonly<Record<string, unknown>>, context);
  return inline.output === undefined ? value : validateOutput(inline.output, value, ref);
}

function timedOut(label: string, timeoutMs: number): ToolwrightError {
  const message = `${label} did not answer within ${timeoutMs} ms and was cancelled. Raise the timeout, or ask for less.`;
  return new ToolwrightError('TOOL_TIMEOUT', message);
}
