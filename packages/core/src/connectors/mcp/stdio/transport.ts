import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../../errors.ts';
import type { StdioServerConfig } from '../../server-config.ts';
import { asMessage } from '../json-rpc.ts';
import { InboundLimiter } from './inbound-limiter.ts';
import { LineReader } from './line-reader.ts';
import { type ServerProcess, startProcess } from './server-process.ts';

const EXAMPLE_LENGTH = 120;
/** Answers to a server's own questions that wait to be read by it; one with more of them is ended. */
const MAX_UNREAD_ANSWERS = 1_000;
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
  readonly #inboundLimiter = new InboundLimiter();
  #garbage = { lines: 0, example: '' };
  #unreadAnswers = 0;
  /** Lines of the last piece of output that were not looked at yet. */
  #lines: string[] = [];
  #waiting: NodeJS.Timeout | undefined;
  #offence: string | undefined;
  #closedByUs = false;
  #isNotifying = false;

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
    const reader = new LineReader((line) => this.#lines.push(line));
    const started = await startProcess(this.#name, this.#config, (chunk) => {
      if (this.#offence !== undefined) return;
      try {
        reader.push(chunk);
      } catch (error) {
        this.#end(`sent ${messageOf(error)}`);
      }
      if (this.#waiting === undefined) this.#receiveSome();
    });
    this.#process = started;
    void started.ended.then(() => {
      clearTimeout(this.#waiting);
      // Its last words; of a server that we ended nobody waits for them.
      for (const line of this.#lines.splice(0)) if (!this.#closedByUs) this.#receive(line);
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const target = this.#process;
    if (target === undefined || target.ending !== undefined) {
      throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    }
    const isAnswer = !('method' in message);
    if (isAnswer && this.#unreadAnswers >= MAX_UNREAD_ANSWERS) {
      this.#end(`asked ${MAX_UNREAD_ANSWERS} things and read none of the answers`);
      throw new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
    }
    if (!isAnswer) this.#inboundLimiter.sent();
    try {
      if (isAnswer) this.#unreadAnswers++;
      await target.write(serializeMessage(message));
      if (isAnswer) this.#unreadAnswers--;
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
    return [
      this.#offence === undefined ? '' : ` It was ended because it ${this.#offence}.`,
      ending === undefined || this.#closedByUs ? '' : ` Its process ended with ${ending}.`,
      this.unreadable(),
      stderr === undefined || stderr === '' ? '' : ` Its stderr ends with:\n${stderr}`,
    ].join('');
  }

  /** A sentence about what it printed that could not be read; empty when there is nothing. */
  unreadable(): string {
    const { lines, example } = this.#garbage;
    return lines === 0 ? '' : ` It printed ${lines} lines that are not JSON-RPC to stdout, e.g. '${example}'.`;
  }

  #end(offence: string): void {
    this.#offence ??= offence;
    void this.close();
  }

  /** Looks at the lines that came, with pauses when they take too much time. */
  #receiveSome = (): void => {
    this.#waiting = undefined;
    const lines = this.#lines;
    let taken = 0;
    let pauseMs = 0;
    while (pauseMs === 0 && this.#offence === undefined && taken < lines.length) {
      const line = lines[taken++] ?? '';
      this.#inboundLimiter.take(() => this.#receive(line));
      pauseMs = this.#inboundLimiter.pauseMs();
    }
    lines.splice(0, taken);
    if (pauseMs === 0) {
      this.#process?.resume();
      return;
    }
    this.#process?.pause();
    this.#waiting = setTimeout(this.#receiveSome, pauseMs);
  };

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
    for (const message of messages) {
      if ('method' in message) this.#notify(message);
      else if (this.#isNotifying) queueMicrotask(() => this.#hand(message));
      else this.#hand(message);
    }
  }

  /** The SDK hears of it a moment later. An answer that came with it waits for that: it ends the progress of its call. */
  #notify(message: JSONRPCMessage): void {
    this.#hand(message);
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
    });
  }

  #hand(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      // Whatever the SDK trips over must not reach a timer of ours, where nobody would catch it.
      this.#end(`sent a message that could not be taken in (${messageOf(error)})`);
    }
  }
}
