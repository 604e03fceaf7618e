import { setTimeout as sleep } from 'node:timers/promises';
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { cutOutsideValues } from '@toolwright/pii/internal';
import { exactText } from '@toolwright/sandbox/internal';
import { MessageMeter, namesExcess } from '../../content/message-meter.ts';
import { messageOf } from '../../errors.ts';
import type { StdioServerConfig } from '../../servers/server-config.ts';
import { MAX_FLOOD_MS } from '../allowance.ts';
import { MessageReader, openLevels } from '../messages/reader.ts';
import { InboundLimiter, type LargeLine, LineReader } from './inbound.ts';
import { type ServerProcess, startProcess } from './server-process.ts';

const EXAMPLE_LENGTH = 120;
/** Maximum unread answers to a server's own requests. A server with more is ended. */
const MAX_UNREAD_ANSWERS = 1_000;
/** Characters of a line whose messages are handed on in another turn of the event loop than the one that parses them. */
const LONG_LINE = 128 * 1024;
/** A line that starts a message of several lines. */
const OPENS = /^\s*[[{](?:.*[[{,:])?\s*$/;
const NOTHING_OPEN = { text: '', levels: 0 };
const MAX_OPEN_CHARACTERS = 16 * 1024 * 1024;
/** Milliseconds for a process to exit by itself after it closed its stdout. */
const SILENT_MS = 1_000;
/** Milliseconds for a process to exit by itself after it closed its stdin. */
const WRITE_FAILED_MS = 200;

/**
 * JSON-RPC over the stdin and stdout of a child process, one message per line (specification: Transports, stdio).
 *
 * Unlike the SDK's transport it owns the whole process group, skips and counts invalid lines, and reports how the process
 * ended. With `pid` and `stderr` the SDK interprets a missing answer as an old server, not as an outage.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #name: string;
  readonly #config: StdioServerConfig;
  readonly #reader: MessageReader;
  #process: ServerProcess | undefined;
  readonly #inboundLimiter = new InboundLimiter();
  #garbage = { lines: 0, example: '' };
  #unreadAnswers = 0;
  /** Unprocessed lines of the last output. */
  readonly #lines: (string | LargeLine)[] = [];
  #waiting: NodeJS.Timeout | undefined;
  #isPaused = false;
  /** The messages of a long line. */
  #parsed: readonly JSONRPCMessage[] = [];
  #offence: string | undefined;
  #closedByUs = false;
  #isNotifying = false;
  /** The first lines of a message of several lines, and how many objects and lists they open. */
  #open = NOTHING_OPEN;

  constructor(name: string, config: StdioServerConfig, reader: MessageReader = new MessageReader()) {
    this.#name = name;
    this.#config = config;
    this.#reader = reader;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** The end of the server's stderr. */
  get stderr(): string {
    return this.#process?.stderr ?? '';
  }

  /** Whether the process was started and exited by itself. */
  get endedByItself(): boolean {
    return this.#process?.ending !== undefined && !this.#closedByUs;
  }

  async start(): Promise<void> {
    const reader = new LineReader(this.#lines);
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
    void started.silent.then(async () => {
      await Promise.race([started.ended, sleep(SILENT_MS, undefined, { ref: false })]);
      if (started.ending === undefined) this.#end('closed its stdout');
    });
    void started.ended.then(() => {
      clearTimeout(this.#waiting);
      // The last lines matter only when the server exited by itself.
      this.#handParsed();
      for (const line of this.#lines.splice(0)) {
        if (!this.#closedByUs) this.#receive(line);
        this.#handParsed();
      }
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
      this.#end(`sent ${MAX_UNREAD_ANSWERS} requests and read none of the answers`);
      throw new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
    }
    if (!isAnswer) this.#inboundLimiter.sent();
    try {
      if (isAnswer) this.#unreadAnswers++;
      await target.write(`${exactText(message)}\n`);
      if (isAnswer) this.#unreadAnswers--;
    } catch (error) {
      // The pipe has no reader: the process is exiting, and its exit code is more useful than EPIPE.
      await Promise.race([target.ended, sleep(WRITE_FAILED_MS)]);
      await target.close();
      throw new SdkError(SdkErrorCode.ConnectionClosed, messageOf(error));
    }
  }

  async close(): Promise<void> {
    if (this.#process?.ending === undefined) this.#closedByUs = true;
    await this.#process?.close();
  }

  /** Returns sentences about the process for an error message; empty when there is nothing to report. */
  evidence(): string {
    const { ending, stderr } = this.#process ?? {};
    return [
      this.#offence === undefined ? '' : ` Toolwright ended it because it ${this.#offence}.`,
      ending === undefined || this.#closedByUs ? '' : ` Its process ended with ${ending}.`,
      this.unreadable(),
      stderr === undefined || stderr === '' ? '' : ` Its stderr ends with:\n${stderr}`,
    ].join('');
  }

  /** Returns a sentence about invalid lines on stdout; empty when there are none. */
  unreadable(): string {
    const { lines, example } = this.#garbage;
    if (lines === 0) return '';
    const fix = /^Content-Length:/i.test(example)
      ? 'It frames messages as language servers do, and MCP has one message per line: update the server.'
      : 'Its log belongs to stderr.';
    return ` It printed ${lines} lines that are not JSON-RPC to stdout, e.g. '${example}'. ${fix}`;
  }

  #end(offence: string): void {
    this.#offence ??= offence;
    void this.close();
  }

  /** Processes the received lines, with pauses when they take too much time. */
  #receiveSome = (): void => {
    this.#waiting = undefined;
    const lines = this.#lines;
    const limiter = this.#inboundLimiter;
    let taken = 0;
    let pauseMs = 0;
    while (pauseMs === 0 && this.#parsed.length === 0 && this.#offence === undefined && taken < lines.length) {
      const line = lines[taken++] ?? '';
      if (limiter.expects()) this.#receive(line);
      else limiter.take(() => this.#receive(line));
      if (limiter.isUsed) pauseMs = limiter.pauseMs();
    }
    if (limiter.isUsed && limiter.isFlooded) this.#end(`flooded it with notifications for ${MAX_FLOOD_MS / 1_000} s`);
    if (taken === lines.length) lines.length = 0;
    else lines.splice(0, taken);
    if (pauseMs === 0 && this.#parsed.length === 0) {
      if (this.#isPaused) this.#process?.resume();
      this.#isPaused = false;
      return;
    }
    this.#isPaused = true;
    this.#process?.pause();
    this.#waiting = setTimeout(() => {
      this.#handParsed();
      this.#receiveSome();
    }, pauseMs);
  };

  #receive(line: string | LargeLine): void {
    if (typeof line !== 'string') {
      for (const answer of this.#reader.tooLarge(line.ids, line.excess)) this.#hand(answer);
      if (line.ids.length === 0) this.#skip(line.excess);
      return;
    }
    if (line.trim() === '') return;
    const messages = this.#reader.read(line) ?? this.#joined(line);
    if (messages === undefined) return;
    this.#open = NOTHING_OPEN;
    this.#parsed = messages;
    if (line.length <= LONG_LINE) this.#handParsed();
  }

  /** Reads a line that is no message: a part of one that its server wrote in several lines, or other output. */
  #joined(line: string): readonly JSONRPCMessage[] | undefined {
    const { text, levels } = this.#open;
    if (text === '' && !(OPENS.test(line) && openLevels(line) > 0)) return this.#unread(line);
    const open = { text: `${text}${line}\n`, levels: levels + openLevels(line) };
    if (open.levels > 0 && open.text.length < MAX_OPEN_CHARACTERS) {
      this.#open = open;
      return undefined;
    }
    this.#open = NOTHING_OPEN;
    const messages = isMeasured(open.text) ? this.#reader.read(open.text) : undefined;
    if (messages === undefined) return this.#unread(open.text);
    this.#reader.note('a message of several lines');
    return messages;
  }

  #unread(text: string): readonly JSONRPCMessage[] {
    this.#skip(text);
    return this.#reader.failures(text);
  }

  #handParsed(): void {
    const messages = this.#parsed;
    this.#parsed = [];
    for (const message of messages) {
      if ('method' in message) this.#notify(message);
      else if (this.#isNotifying) queueMicrotask(() => this.#hand(message));
      else this.#hand(message);
    }
  }

  #skip(line: string): void {
    if (this.#garbage.lines === 0) this.#garbage.example = line.slice(0, cutOutsideValues(line, EXAMPLE_LENGTH));
    this.#garbage.lines++;
  }

  /** The SDK processes a notification in a microtask. An answer that follows waits, because it ends progress reports. */
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
      // An exception of the SDK must not reach the timer, where nothing catches it.
      this.#end(`sent a message that could not be processed (${messageOf(error)})`);
    }
  }
}

/** Returns whether text is within the limits of a message. */
function isMeasured(text: string): boolean {
  const meter = new MessageMeter();
  meter.push(Buffer.from(text));
  return meter.excess === undefined && !(meter.hasManyMembers && namesExcess(text) !== undefined);
}
