import { CLIENT_CAPABILITIES_META_KEY, type Client, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { cutOutsideValues } from '@toolwright/pii/internal';
import type { InputOptions } from '../../input.ts';
import { traceFields } from '../../tracing.ts';
import { APPS_EXTENSION } from '../apps.ts';
import { TASKS_EXTENSION } from './tasks.ts';

/** The least important lines of the log that a server is asked for (2026-07-28). */
const SERVER_LOG_LEVEL = 'info';
const MAX_LOG_CHARACTERS = 2_000;

/** Returns the `_meta` of a call: its trace, and for servers since 2026-07-28 the allowed questions and logs. */
export function callMeta(
  client: Client,
  { onInput }: InputOptions,
  wantsLog: boolean,
): { readonly _meta?: Record<string, unknown> } {
  const trace = traceFields();
  const isModern = client.getProtocolEra() === 'modern';
  const meta = {
    ...(trace.traceparent === undefined ? {} : trace),
    ...(isModern && !onInput
      ? { [CLIENT_CAPABILITIES_META_KEY]: { extensions: { ...TASKS_EXTENSION, ...APPS_EXTENSION } } }
      : {}),
    ...(isModern && wantsLog ? { [LOG_LEVEL_META_KEY]: SERVER_LOG_LEVEL } : {}),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

/** Returns a line of a server's log as text. A long one is cut. */
export function serverLine(level: string, data: unknown): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return `${level}: ${text.slice(0, cutOutsideValues(text, MAX_LOG_CHARACTERS))}`;
}
