import type { ChildProcess, ChildProcessWithoutNullStreams, SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { endGroup, registerGroup, unregisterGroup } from '@toolwright/sandbox/internal';
import { startProcess as startChild } from '@toolwright/sandbox/processes';
import { messageOf, ToolwrightError } from '../../errors.ts';
import type { StdioServerConfig } from '../../servers/server-config.ts';

/** Maximum characters of stderr for error messages. */
const STDERR_TAIL = 4096;
/** Milliseconds for a server to exit after its stdin was closed, and again after SIGTERM. */
const CLOSE_GRACE_MS = 300;
/** Milliseconds to read the last output of an exited server while a child process keeps its pipes open. */
const DRAIN_MS = 150;

/** A running stdio server in its own process group. */
export class ServerProcess {
  readonly pid: number;
  /** Resolves to the {@link ending} when the process has exited and its output was read. */
  readonly ended: Promise<string>;
  /** Resolves when the process writes no more output. It may still run. */
  readonly silent: Promise<unknown>;
  /** The exit code or the signal, such as `exit code 1`; undefined while the process runs. */
  ending: string | undefined;
  readonly #child: ChildProcessWithoutNullStreams;
  #stderr = '';
  #isGone = false;
  #reaped: Promise<void> = Promise.resolve();
  #unwritten = '';
  #writing: Promise<void> | undefined;

  constructor(child: ChildProcessWithoutNullStreams, pid: number, onOutput: (chunk: Buffer) => void) {
    this.pid = pid;
    this.#child = child;
    child.stdout.on('data', onOutput);
    this.silent = new Promise((resolve) => child.stdout.once('end', resolve));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const all = this.#stderr + text;
      // A line whose start is lost may have a part of a value.
      this.#stderr = all.length > STDERR_TAIL ? all.slice(-STDERR_TAIL).replace(/^.{0,1000}\n/, '') : all;
    });
    // A broken pipe is reported by a failed write or by the exit of the process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    this.ended = this.#watch();
  }

  /** The end of its stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  /** Writes to its stdin. Rejects when the process accepts no more input. Texts that are ready together are one write: each wakes the process. */
  write(text: string): Promise<void> {
    this.#unwritten += text;
    this.#writing ??= new Promise((resolve, reject) => {
      process.nextTick(() => {
        const ready = this.#unwritten;
        this.#unwritten = '';
        this.#writing = undefined;
        this.#child.stdin.write(ready, (error) => (error ? reject(error) : resolve()));
      });
    });
    return this.#writing;
  }

  /** Stops reading its output until {@link resume}. */
  pause(): void {
    if (!this.#isGone) this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  /** Closes its stdin, then sends SIGTERM and SIGKILL to the whole group. Resolves when the group is gone. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    await Promise.race([this.ended, sleep(CLOSE_GRACE_MS)]);
    await endGroup(this.pid, CLOSE_GRACE_MS);
    await this.ended;
    await this.#reaped;
  }

  async #watch(): Promise<string> {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.#child.once('exit', (...ending) => resolve(ending));
    });
    this.#isGone = true;
    this.resume();
    const drained = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    await Promise.race([drained, sleep(DRAIN_MS)]);
    this.ending = signal === null ? `exit code ${code}` : `signal ${signal}`;
    this.#reaped = endGroup(this.pid, CLOSE_GRACE_MS).then(() => unregisterGroup(this.pid));
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    return this.ending;
  }
}

/**
 * Starts the server in its own process group, without a shell. Its environment has the SDK's short list of harmless
 * variables and the configured ones. Raises `UPSTREAM_UNAVAILABLE` when the command cannot be started.
 */
export async function startProcess(
  name: string,
  config: StdioServerConfig,
  onOutput: (chunk: Buffer) => void,
): Promise<ServerProcess> {
  if (config.cwd !== undefined && !existsSync(config.cwd)) {
    throw cannotStart(`the folder ${config.cwd} does not exist: create it or fix mcpServers.${name}.cwd`);
  }
  // On Windows, commands such as npx are .cmd files, which only a shell can start.
  const shell = process.platform === 'win32' && !/\.(exe|com)$/i.test(config.command);
  const quote = (text: string): string => (shell ? `"${text.replaceAll('"', '""')}"` : text);
  let failed: (error: NodeJS.ErrnoException) => void = () => undefined;
  const failure = new Promise<NodeJS.ErrnoException>((resolve) => {
    failed = resolve;
  });
  const options: SpawnOptions = {
    env: { ...getDefaultEnvironment(), ...config.env },
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell,
    cwd: config.cwd,
  };
  const child = startNow(() =>
    startChild(quote(config.command), (config.args ?? []).map(quote), options, (error) => failed(error)),
  );
  const { pid } = child;
  if (pid !== undefined) {
    registerGroup(pid);
    return new ServerProcess(child as ChildProcessWithoutNullStreams, pid, onOutput);
  }
  const error = await failure;
  if (error.code === 'ENOENT') {
    // A program in a folder may have a space in its path.
    if (/^[^\s/\\]+\s/.test(config.command)) {
      throw cannotStart(
        `the program '${config.command}' does not exist: move its arguments to the list mcpServers.${name}.args`,
      );
    }
    throw cannotStart(`command '${config.command}' not found: install it or fix mcpServers.${name}.command`);
  }
  throw cannotStart(`command '${config.command}' could not be started (${error.code ?? error.message})`);
}

/** The reason of a failed start is that of the server: its tools fail, and the next call tries again. */
function startNow(start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    throw cannotStart(messageOf(error));
  }
}

function cannotStart(text: string): ToolwrightError {
  return new ToolwrightError('UPSTREAM_UNAVAILABLE', text);
}
