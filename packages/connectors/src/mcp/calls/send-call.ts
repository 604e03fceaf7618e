import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { ToolCallOptions } from '../../connector.ts';
import type { InputOptions } from '../../input.ts';
import type { ToolDefinition } from '../../tools/tool.ts';
import { traceFields } from '../../tracing.ts';
import { APPS_EXTENSION } from '../apps.ts';
import { type CallClock, SDK_TIMEOUT_MS } from '../input/calls-in-flight.ts';
import { callInRounds, type RoundOptions, type RoundParameters } from '../input/rounds.ts';
import type { CallResult } from '../messages/call-results.ts';
import { FIRST_CALL_ID, takeResult } from '../messages/held-results.ts';
import { markedTask, TASKS_EXTENSION } from './tasks.ts';

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

interface OpenCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: (report: object) => void;
}

/** The parameters of `tools/call`. */
export interface CallParameters {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly _meta: Record<string, unknown> | undefined;
}

/**
 * A client whose calls of tools go straight to the transport. The SDK copies and validates each message several times, which takes longer
 * than all else of a call. {@link MessageReader} has read their answers before. The SDK does all the rest.
 */
export class CallClient extends Client {
  readonly #calls = new Map<number, OpenCall>();
  #nextId = FIRST_CALL_ID;
  #transport: Transport | undefined;
  /** Whether {@link sendCall} sends the calls of this connection. */
  sendsCalls = false;
  #envelope: Readonly<Record<string, unknown>> | undefined;

  /** Receives the answers of calls. Call it after the handshake: the SDK sets the handlers of the transport then. */
  takeCalls(transport: Transport): void {
    const { onmessage } = transport;
    // Over HTTP, the revision 2026-07-28 has headers with arguments and a stream per request, which the SDK handles.
    if (this.getProtocolEra() === 'modern' && transport.hasPerRequestStream) return;
    this.sendsCalls = true;
    this.#transport = transport;
    this.#envelope = this._outboundMetaEnvelope();
    transport.onmessage = (message, extra) => {
      if (!this.#take(message)) onmessage?.(message, extra);
    };
  }

  /** Sends a call, and resolves to its result. Raises the errors of the SDK. The end of the clock cancels the call at the server. */
  sendCall(params: CallParameters, onProgress: (report: object) => void, clock: CallClock): Promise<unknown> {
    const transport = this.#transport;
    if (transport === undefined) return Promise.reject(new SdkError(SdkErrorCode.NotConnected, 'Not connected'));
    const id = this.#nextId++;
    const meta = { progressToken: id, ...this.#envelope, ...params._meta };
    return new Promise((resolve, reject) => {
      clock.onEnd((error) => {
        if (!this.#remove(id)) return;
        reject(error);
        const cancelled = { requestId: id, reason: String(error), _meta: this.#envelope };
        const message = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: cancelled };
        transport.send(message).catch((failure: Error) => this.onerror?.(failure));
      });
      this.#calls.set(id, { resolve, reject, onProgress });
      const message = { jsonrpc: '2.0' as const, id, method: 'tools/call', params: { ...params, _meta: meta } };
      transport.send(message).catch((error) => {
        if (this.#remove(id)) reject(error);
      });
    });
  }

  protected override _onclose(): void {
    const open = [...this.#calls];
    this.#transport = undefined;
    super._onclose();
    const error = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
    for (const [id, { reject }] of open) if (this.#remove(id)) reject(error);
  }

  /** Takes the answer of a call, or a report of its progress. Returns false for any other message. */
  #take(message: JSONRPCMessage): boolean {
    if ('method' in message) {
      if (message.method !== 'notifications/progress') return false;
      const { progressToken, ...report } = message.params as { readonly progressToken: unknown };
      if (!(Number(progressToken) >= FIRST_CALL_ID)) return false;
      this.#calls.get(Number(progressToken))?.onProgress(report);
      return true;
    }
    const id = Number(message.id);
    // The answer of a cancelled call is late, and nobody waits for it.
    if (!(id >= FIRST_CALL_ID)) return false;
    const call = this.#remove(id);
    if ('result' in message) {
      const { result } = message;
      const { resultType } = result;
      if (resultType === undefined) call?.resolve(result);
      else call?.resolve(resultType === 'task' ? markedTask(result) : (takeResult(result) ?? result));
    } else call?.reject(ProtocolError.fromError(message.error.code, message.error.message, message.error.data));
    return true;
  }

  #remove(id: number): OpenCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}
