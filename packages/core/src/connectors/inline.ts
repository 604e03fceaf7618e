import type { JsonSchema, ToolAnnotations, ToolDefinition } from '../catalog/tool.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { Connector, ToolCallOptions } from './connector.ts';
import { DEFAULT_CALL_TIMEOUT_MS } from './server-config.ts';

/** What a running inline tool gets beside its arguments. */
export interface InlineToolContext {
  /** Aborted when the caller gives up or time is up. */
  readonly signal: AbortSignal;
  /** Reports progress to the caller. */
  readonly onProgress: NonNullable<ToolCallOptions['onProgress']>;
}

/** A function of the embedding program that is offered as a tool. */
export interface InlineTool {
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments. Default: any object. Arguments are not checked against it here. */
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /** Does the work. What it returns is passed on as JSON; what it throws becomes `TOOL_FAILED` with its message. */
  run(args: Readonly<Record<string, unknown>>, context: InlineToolContext): unknown;
}

/** What {@link inlineConnector} offers. */
export interface InlineConnectorOptions {
  readonly description?: string;
  readonly tools: Readonly<Record<string, InlineTool>>;
}

/** Makes a connector for functions of the embedding program. They run in this process, with all its rights. */
export function inlineConnector(name: string, options: InlineConnectorOptions): Connector {
  const tools = new Map(Object.entries(checkTools(name, options)));
  let closed = false;
  return {
    name,
    ...(options.description === undefined ? {} : { description: options.description }),
    status: () => ({ state: closed ? 'closed' : 'ready', starts: 0 }),
    tools: async () => [...tools].map(([tool, inline]) => definition(tool, inline)),
    onToolsChanged: () => () => undefined,
    async call(tool, args, callOptions = {}) {
      if (closed) throw new ToolwrightError('CLOSED', `${name} was closed; make a new connector.`);
      const inline = tools.get(tool);
      if (inline === undefined) throw new ToolwrightError('UNKNOWN_TOOL', `${name} has no tool ${tool}.`);
      return run(`${tool} on ${name}`, inline, args, callOptions);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
    },
  };
}

/** Programs without types learn of what is missing when they start, and not with the first call. */
function checkTools(name: string, options: InlineConnectorOptions): InlineConnectorOptions['tools'] {
  const { tools }: { readonly tools?: unknown } = Object(options);
  if (typeof tools !== 'object' || tools === null) {
    const message = `The functions of ${name} belong under "tools": { ${name}: { tools: { … } } }.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const [tool] = Object.entries(tools).find(([, inline]) => typeof Object(inline).run !== 'function') ?? [];
  if (tool === undefined) return options.tools;
  throw new ToolwrightError('CONFIG_INVALID', `The tool ${tool} of ${name} has no function "run" that does the work.`);
}

async function run(
  what: string,
  inline: InlineTool,
  args: Readonly<Record<string, unknown>>,
  { signal, timeoutMs = DEFAULT_CALL_TIMEOUT_MS, onProgress = () => undefined }: ToolCallOptions,
): Promise<unknown> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(timedOut(what, timeoutMs)), timeoutMs);
  const onAbort = (): void => stop.abort(new ToolwrightError('CANCELLED', `The call of ${what} was cancelled.`));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    stop.signal.throwIfAborted();
    const given = new Promise<never>((_resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
    });
    const work = (async () => inline.run(args, { signal: stop.signal, onProgress }))();
    work.catch(() => undefined);
    return throughJson(await Promise.race([work, given]));
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    throw new ToolwrightError('TOOL_FAILED', messageOf(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** What the caller of an MCP server would get: plain JSON, `null` for nothing. */
function throughJson(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

function timedOut(what: string, timeoutMs: number): ToolwrightError {
  const text = `${what} did not answer within ${timeoutMs} ms; it was told to cancel; allow it more time or ask for less.`;
  return new ToolwrightError('TOOL_TIMEOUT', text);
}

function definition(
  name: string,
  { run: _run, inputSchema = { type: 'object' }, ...rest }: InlineTool,
): ToolDefinition {
  return { name, inputSchema, ...rest };
}
