import { exactText, parseExact } from '@toolwright/sandbox/internal';
import type { Connector, ToolCallOptions } from '../connector.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import { DEFAULT_CALL_TIMEOUT_MS } from '../servers/server-config.ts';
import { invalidArguments, listProblems, type Problem, propertyPath } from '../tools/argument-problems.ts';
import type { JsonSchema, ToolDefinition } from '../tools/tool.ts';
import {
  isStandardSchema,
  jsonSchemaOf,
  type SchemaDirection,
  type StandardIssue,
  type StandardSchemaV1,
} from './standard-schema.ts';
import type { AnySchemas, InlineConnectorOptions, InlineTool, InlineToolContext } from './tool-types.ts';

export type { InlineConnectorOptions, InlineServers, InlineTool, InlineToolContext } from './tool-types.ts';

/** Levels of a value that are copied without a text. JSON reports a cycle. */
const MAX_LEVELS = 100;
/** Marks a value that only JSON converts. */
const UNUSUAL = Symbol('unusual');

/** The names of a tool and its server, for errors. */
interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

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

/**
 * Copies arguments or a result as plain data, with the same result as `JSON.parse(JSON.stringify(value))`, and `null` for `undefined`.
 * A `bigint` stays one beyond ±(2⁵³-1), and is a number otherwise.
 * Long texts are not copied. Raises the errors of JSON, for example for a cycle.
 */
export function toPlainData(value: unknown): unknown {
  const copy = copyOf(value, 0);
  if (copy !== UNUSUAL) return copy ?? null;
  const text: string | undefined = exactText(value);
  return text === undefined ? null : parseExact(text);
}

function copyOf(value: unknown, level: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      if (value === null) return null;
      if (level === MAX_LEVELS || 'toJSON' in value) return UNUSUAL;
      return Array.isArray(value) ? copyOfArray(value, level) : copyOfObject(value, level);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    default:
      return undefined;
  }
}

function copyOfArray(values: readonly unknown[], level: number): unknown {
  const copy: unknown[] = [];
  for (const value of values) {
    const next = copyOf(value, level + 1);
    if (next === UNUSUAL) return UNUSUAL;
    copy.push(next ?? null);
  }
  return copy;
}

function copyOfObject(value: object, level: number): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || Object.hasOwn(value, '__proto__')) return UNUSUAL;
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) {
    const next = copyOf(child, level + 1);
    if (next === UNUSUAL) return UNUSUAL;
    if (next !== undefined) copy[key] = next;
  }
  return copy;
}

/** Validates the arguments of a call. Returns the validated arguments. Raises `INVALID_ARGUMENTS` with all issues. */
async function validateInput(schema: StandardSchemaV1, args: unknown, ref: ToolRef): Promise<unknown> {
  const result = await schema['~standard'].validate(args);
  if (result.issues === undefined) return result.value;
  throw new ToolwrightError('INVALID_ARGUMENTS', invalidArguments(result.issues.map(toProblem)), {
    details: { ...ref },
  });
}

/** Validates the result of a tool. Returns the validated result. Raises `TOOL_FAILED` with all issues. */
async function validateOutput(schema: StandardSchemaV1, value: unknown, { server, tool }: ToolRef): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const problems = listProblems(result.issues.map(toProblem));
  throw new ToolwrightError(
    'TOOL_FAILED',
    `The result of ${tool} on ${server} does not match its output schema: ${problems}.`,
  );
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  const text = keys.reduce<string>(
    (before, key) => (typeof key === 'number' ? `${before}[${key}]` : propertyPath(before, String(key))),
    '',
  );
  return { path: text, message: message.replace(/\.$/, '') };
}

const SCHEMA_OPTIONS = {
  input: { option: 'inputSchema', values: 'arguments' },
  output: { option: 'outputSchema', values: 'result' },
} as const;

/** Checks inline tools and returns their definitions by name. Raises `CONFIG_INVALID` with the tool and the fix. */
export function inlineDefinitions(
  server: string,
  tools: Readonly<Record<string, InlineTool>>,
): Map<string, ToolDefinition> {
  return new Map(Object.entries(tools).map(([name, tool]) => [name, definition(server, name, tool)]));
}

function definition(server: string, name: string, tool: InlineTool): ToolDefinition {
  if (typeof Object(tool).run !== 'function') {
    throw invalid(`The tool ${name} of ${server} has no function "run".`);
  }
  const { title, description, annotations, isLocal } = tool;
  const inputSchema = schemaOf(server, name, tool, 'input') ?? { type: 'object' };
  const { type } = Object(inputSchema);
  if (tool.input !== undefined && type !== undefined && type !== 'object') {
    throw invalid(
      `The input schema of ${server}.${name} has the type ${type}. The arguments of a tool must be an object.`,
    );
  }
  const outputSchema = schemaOf(server, name, tool, 'output');
  return {
    name,
    inputSchema,
    title,
    description,
    outputSchema,
    annotations,
    isLocal: isLocal || undefined,
  };
}

function schemaOf(server: string, name: string, tool: InlineTool, direction: SchemaDirection): JsonSchema | undefined {
  const { option, values } = SCHEMA_OPTIONS[direction];
  const schema: unknown = tool[direction];
  if (schema === undefined) return tool[option];
  if (!isStandardSchema(schema)) {
    throw invalid(
      `The option ${direction} of ${server}.${name} is not a Standard Schema. Pass a JSON Schema as ${option} instead.`,
    );
  }
  if (tool[option] !== undefined) return tool[option];
  const made = jsonSchemaOf(schema, direction);
  if ('schema' in made) return made.schema;
  throw invalid(
    `The ${direction} schema of ${server}.${name} has no JSON Schema: ${made.problem}. Pass the JSON Schema of the ${values} as ${option} too.`,
  );
}

function invalid(message: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', message);
}
