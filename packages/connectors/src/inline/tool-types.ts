import type { ToolCallOptions } from '../connector.ts';
import type { JsonSchema, ToolAnnotations } from '../tools/tool.ts';
import type { InferInput, InferOutput, StandardSchemaV1 } from './standard-schema.ts';

/** The second argument of a running inline tool. */
export interface InlineToolContext {
  /** Aborted when the caller cancels the call, or when its time is over. */
  readonly signal: AbortSignal;
  /** The user whose program calls; absent when no program does. */
  readonly userId?: string;
  /** Reports progress to the caller. */
  readonly onProgress: NonNullable<ToolCallOptions['onProgress']>;
}

/** The arguments of a tool: validated by its input schema, or any object. */
export type InlineArguments<Input> =
  unknown extends InferOutput<Input> ? Readonly<Record<string, unknown>> : InferOutput<Input>;

/**
 * A function of the embedding program that is offered as a tool. With a Standard Schema as `input` or `output` (zod, valibot,
 * ArkType, …), the types of `run` are inferred and values are validated.
 */
export interface InlineTool<Input = StandardSchemaV1, Output = StandardSchemaV1> {
  readonly title?: string;
  readonly description?: string;
  /** A Standard Schema of the arguments. `run` receives the validated arguments, with defaults and transformations. */
  readonly input?: Input & StandardSchemaV1;
  /** A Standard Schema of the result. A result that does not match fails the call with `TOOL_FAILED`. */
  readonly output?: Output & StandardSchemaV1;
  /** The JSON Schema of the arguments for the model. Default: made from `input`; any object without `input`. */
  readonly inputSchema?: JsonSchema;
  /** The JSON Schema of the result for the model. Default: made from `output`. */
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  /**
   * The function sends and stores nothing, and its result has only data of its arguments. Rules for restored values then
   * never deny a call: a placeholder whose value the function may not receive stays in the arguments. Default: false.
   */
  readonly isLocal?: boolean;
  /** Runs the tool. The result is returned as JSON. A thrown error fails the call with `TOOL_FAILED` and its message. */
  run(args: InlineArguments<Input>, context: InlineToolContext): InferInput<Output> | Promise<InferInput<Output>>;
}

/** Schemas by name of the tool, for tools whose types are not known. */
export type AnySchemas = Readonly<Record<string, StandardSchemaV1>>;

/**
 * Tools by name. `Inputs` and `Outputs` are the schemas by name of the tool, which TypeScript infers. A name is missing in
 * one of them when TypeScript found no schema.
 */
export type InlineTools<Inputs, Outputs> = {
  readonly [Name in keyof Inputs]: InlineTool<Inputs[Name], Name extends keyof Outputs ? Outputs[Name] : unknown>;
} & {
  readonly [Name in keyof Outputs]: InlineTool<Name extends keyof Inputs ? Inputs[Name] : unknown, Outputs[Name]>;
};

/** The tools of one inline server. */
export interface InlineConnectorOptions<Inputs = AnySchemas, Outputs = AnySchemas> {
  /** One line about the server. */
  readonly description?: string;
  readonly tools: InlineTools<Inputs, Outputs>;
}

/** Schemas by server and tool, for servers whose types are not known. */
export type AnyServers = Readonly<Record<string, AnySchemas>>;

/** Inline servers by name. `Inputs` and `Outputs` are the schemas by server and tool, which TypeScript infers. */
export type InlineServers<Inputs = AnyServers, Outputs = AnyServers> = {
  readonly [Server in keyof Inputs]: InlineConnectorOptions<
    Inputs[Server],
    Server extends keyof Outputs ? Outputs[Server] : unknown
  >;
} & {
  readonly [Server in keyof Outputs]: InlineConnectorOptions<
    Server extends keyof Inputs ? Inputs[Server] : unknown,
    Outputs[Server]
  >;
};
