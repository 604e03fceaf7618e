import type { Client } from '@modelcontextprotocol/client';
import type { ToolCallOptions } from '../../connector.ts';
import type { ToolDefinition } from '../../tools/tool.ts';
import { type CallClock, SDK_TIMEOUT_MS } from '../input/call-clock.ts';
import { callInRounds, type RoundOptions, type RoundParameters } from '../input/rounds.ts';
import { takeResult } from '../messages/held-results.ts';
import type { CallClient } from './call-client.ts';
import { callMeta } from './call-meta.ts';
import type { CallResult } from './call-result.ts';

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

export interface SendOptions extends Pick<RoundOptions, 'whenCompleted'> {
  readonly connection: { readonly client: CallClient };
  /** Returns the client of now, for polls of a task. */
  readonly current: () => Promise<Client>;
  /** Whether the server is asked for its log. */
  readonly wantsLog: boolean;
  /** Sends a request again with more scopes when the server refuses it for missing ones. */
  readonly withScopes: <Result>(send: () => Promise<Result>) => Promise<Result>;
}

/** Sends a call, answers the questions of its server, and waits for its task. Returns the result. Raises the errors of the SDK. */
export function sendCall(
  { server, tool, args, definition, options, clock }: OutgoingCall,
  { connection: { client }, current, whenCompleted, wantsLog, withScopes }: SendOptions,
): Promise<CallResult> {
  const { onProgress } = options;
  const report = (progress: object) => {
    clock.extend();
    onProgress?.(JSON.parse(JSON.stringify(progress)));
  };
  const send = (round: RoundParameters): Promise<unknown> => {
    const params = { name: tool, arguments: args, ...round, ...callMeta(client, options, wantsLog) };
    if (client.sendsCalls) return client.sendCall(params, report, clock);
    const request = {
      timeout: SDK_TIMEOUT_MS,
      signal: clock.signal,
      allowInputRequired: true as const,
      toolDefinition: definition,
      onprogress: report,
    };
    return client.callTool(params, request).then((result) => takeResult(result) ?? result);
  };
  return callInRounds({
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
    send: (round) => withScopes(() => send(round)),
  });
}
