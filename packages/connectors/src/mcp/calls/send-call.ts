import {
  CLIENT_CAPABILITIES_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { ToolCallOptions } from '../../connector.ts';
import type { InputOptions } from '../../input.ts';
import type { ToolDefinition } from '../../tools/tool.ts';
import { traceFields } from '../../tracing.ts';
import { APPS_EXTENSION } from '../apps.ts';
import { type CallClock, SDK_TIMEOUT_MS } from '../input/call-clock.ts';
import { callInRounds, type RoundOptions, type RoundParameters } from '../input/rounds.ts';
import { takeResult } from '../messages/held-results.ts';
import type { CallClient, CallParameters } from './call-client.ts';
import type { CallResult } from './call-result.ts';
import { TASKS_EXTENSION } from './tasks.ts';

/** The least important lines of the log that a server is asked for (2026-07-28). */
const SERVER_LOG_LEVEL = 'info';

/** The definition of a tool for the SDK. */
export type SdkTool = NonNullable<NonNullable<Parameters<Client['callTool']>[1]>['toolDefinition']>;

/** Returns a definition without an output schema: the SDK would discard a result that breaks it. */
export function sdkTool({ name, inputSchema }: ToolDefinition): SdkTool {
  return { name, inputSchema } as SdkTool;
}

/** One call of a tool. */
export interface OutgoingCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly definition: SdkTool | undefined;
  readonly options: ToolCallOptions;
  readonly clock: CallClock;
}

export interface SendOptions {
  /** Resolves when the server reports that the person is done with a page. */
  readonly whenCompleted: (elicitationId: unknown) => Promise<'answer'>;
  readonly connection: { readonly client: CallClient };
  /** Returns the client of now, for polls of a task. */
  readonly current: () => Promise<Client>;
  /** Whether the server is asked for its log. */
  readonly wantsLog: boolean;
  /** Sends a request again with more scopes when the server refuses it for missing ones. Undefined for a server without logins. */
  readonly withScopes: (<Result>(send: () => Promise<Result>) => Promise<Result>) | undefined;
}

/** Sends a call, answers the questions of its server, and waits for its task. Returns the result. Raises the errors of the SDK. */
export async function sendCall(call: OutgoingCall, options: SendOptions): Promise<CallResult> {
  const { withScopes } = options;
  const { client } = options.connection;
  const send = (round: RoundParameters): Promise<unknown> => {
    const { tool, args, clock } = call;
    const meta = callMeta(client, call.options, options.wantsLog);
    const params = { name: tool, arguments: args, _meta: meta, ...round };
    const report = (progress: object) => {
      clock.extend();
      call.options.onProgress?.(JSON.parse(JSON.stringify(progress)));
    };
    return client.sendsCalls ? client.sendCall(params, report, clock) : sendBySdk(client, params, report, call);
  };
  const sendScoped = withScopes ? (round: RoundParameters) => withScopes(() => send(round)) : send;
  // Of a paused call, a question or a task comes first.
  if (call.options.paused !== undefined) return callInRounds(roundOptions(call, options, sendScoped));
  let first: Promise<unknown> | undefined = sendScoped({});
  try {
    const result = await first;
    // The reader leaves this member only in results that ask or are tasks. The SDK removes it from tasks too.
    if (client.sendsCalls && Object(result).resultType === undefined) return result as CallResult;
  } catch (error) {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
  }
  const sendFurther = (round: RoundParameters) => {
    const sent = first ?? sendScoped(round);
    first = undefined;
    return sent;
  };
  return callInRounds(roundOptions(call, options, sendFurther));
}

function sendBySdk(
  client: CallClient,
  params: CallParameters,
  onprogress: (progress: object) => void,
  { clock, definition }: OutgoingCall,
): Promise<unknown> {
  const request = {
    timeout: SDK_TIMEOUT_MS,
    signal: clock.signal,
    allowInputRequired: true as const,
    toolDefinition: definition,
    onprogress,
  };
  return client.callTool(params, request).then((result) => takeResult(result) ?? result);
}

function roundOptions(
  { server, tool, options, clock }: OutgoingCall,
  { current, whenCompleted }: SendOptions,
  send: RoundOptions['send'],
): RoundOptions {
  const { onProgress } = options;
  return {
    ...options,
    server,
    whenCompleted,
    pauseFor: (work) => clock.pauseFor(work),
    task: {
      server,
      tool,
      client: current,
      onWait: options.onTaskWait,
      clock,
      onStatus: onProgress && ((message) => onProgress({ progress: 0, message })),
    },
    send,
  };
}

/** Returns the `_meta` of a call: its trace, and for servers since 2026-07-28 the allowed questions and logs. */
function callMeta(client: Client, { onInput }: InputOptions, wantsLog: boolean): Record<string, unknown> | undefined {
  const trace = traceFields();
  const isModern = client.getProtocolEra() === 'modern';
  const meta = {
    ...(trace.traceparent === undefined ? {} : trace),
    ...(isModern && !onInput
      ? { [CLIENT_CAPABILITIES_META_KEY]: { extensions: { ...TASKS_EXTENSION, ...APPS_EXTENSION } } }
      : {}),
    ...(isModern && wantsLog ? { [LOG_LEVEL_META_KEY]: SERVER_LOG_LEVEL } : {}),
  };
  return Object.keys(meta).length === 0 ? undefined : meta;
}
