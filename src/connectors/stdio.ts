import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { messageOf } from '../errors.ts';
import { LineReader } from './line-reader.ts';
import type { StdioServerConfig } from './server-config.ts';
import { type ServerProcess, startProcess } from './server-process.ts';

/** Bytes of one message from a server; a longer one ends the connection. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;

const EXAMPLE_LENGTH = 120;
/** Milliseconds that a process gets to end by itself after it closed its stdin. */
const WRITE_FAILED_MS = 200;

/**
 * JSON-RPC over the stdin and stdout of a child process, one message per line (specification: Transports, stdio).
 *
 * Unlike the SDK's it owns the whole process group, skips and remembers lines that are no messages, and knows how the
 * process ended. `pid` and `stderr` also tell the SDK that silence means an old server here, not an outage.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #name: string;
  readonly #config: StdioServerConfig;
  #process: ServerProcess | undefined;
  #garbage = { lines: 0, example: '' };
  #overflow: string | undefined;
  #closedByUs = false;

  constructor(name: string, config: StdioServerConfig) {
    this.#name = name;
    this.#config = config;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** The end of what the server wrote to stderr. */
  get stderr(): string {
    return this.#process?.stderr ?? '';
  }

  /** Whether the process was started and went away without being told to. */
  get endedByItself(): boolean {
    return this.#process?.ending !== undefined && !this.#closedByUs;
  }

  async start(): Promise<void> {
    const reader = new LineReader((line) => this.#receive(line), MAX_MESSAGE_BYTES);
    const started = await startProcess(this.#name, this.#config, (chunk) => {
      if (this.#overflow !== undefined) return;
      try {
        reader.push(chunk);
      } catch (error) {
        this.#overflow = messageOf(error);
        void this.close();
      }
    });
    this.#process = started;
    void started.ended.then(() => this.onclose?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const target = this.#process;
    if (target === undefined || target.ending !== undefined) {
      throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    }
    try {
      await target.write(serializeMessage(message));
    } catch (error) {
      // A pipe without a reader: the process is about to be gone, and how it ended says more than EPIPE.
      await Promise.race([target.ended, sleep(WRITE_FAILED_MS)]);
      await target.close();
      throw new SdkError(SdkErrorCode.ConnectionClosed, messageOf(error));
    }
  }

  async close(): Promise<void> {
    if (this.#process?.ending === undefined) this.#closedByUs = true;
    await this.#process?.close();
  }

  /** What is known about the process, as sentences to append to an error message; empty when there is nothing. */
  evidence(): string {
    const { ending, stderr } = this.#process ?? {};
    const { lines, example } = this.#garbage;
    return [
      this.#overflow === undefined ? '' : ` It was ended because it sent ${this.#overflow}.`,
      ending === undefined || this.#closedByUs ? '' : ` Its process ended with ${ending}.`,
      lines === 0 ? '' : ` It printed ${lines} lines that are not JSON-RPC to stdout, e.g. '${example}'.`,
      stderr === undefined || stderr === '' ? '' : ` Its stderr ends with:\n${stderr}`,
    ].join('');
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let messages: JSONRPCMessage[];
    try {
      const parsed: unknown = JSON.parse(line);
      // The revision 2025-03-26 has batches.
      messages = (Array.isArray(parsed) ? parsed : [parsed]).map(asMessage);
    } catch {
      if (this.#garbage.lines === 0) this.#garbage.example = line.slice(0, EXAMPLE_LENGTH);
      this.#garbage.lines++;
      return;
    }
    for (const message of messages) this.onmessage?.(message);
  }
}

/**
 * Tells messages from garbage. Only the envelope is looked at: the SDK checks each result against its schema, and its
 * own check of the envelope costs as much as all the rest of a call.
 */
function asMessage(value: unknown): JSONRPCMessage {
  if (typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0') {
    const isAnswer = 'id' in value && ('result' in value || 'error' in value);
    if (isAnswer || ('method' in value && typeof value.method === 'string')) return value as JSONRPCMessage;
  }
  return parseJSONRPCMessage(value);
}
