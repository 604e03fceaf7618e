import type { GuestCarrier, ProcessEnd } from '../../packages/sandbox/src/sandboxes/guest-process.ts';
import { type JailGuest, javascriptGuest, pythonGuest } from '../../packages/sandbox/src/sandboxes/jail/guest.ts';
import { launchJail } from '../../packages/sandbox/src/sandboxes/jail/launch.ts';
import type { SandboxProbe } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';

/** The output of a program to its channel, and the end of its jail. */
export interface RawRun {
  readonly output: string;
  readonly end: ProcessEnd;
}

const MEMORY_BYTES = 64 * 1024 * 1024;

/** For tests that need a jail for one of its languages. */
export function needsJail(probe: SandboxProbe): ReturnType<typeof needs> {
  return needs('jail', missingSandbox(probe));
}

/** Starts a program of plain Node, without the guest runtime, in a jail. `print(text)` writes to the channel. */
export async function startNode(code: string, memoryBytes: number = MEMORY_BYTES): Promise<GuestCarrier> {
  const print = "const print = (value) => require('fs').writeSync(3, value + '\\n');";
  return start(await javascriptGuest(), ['-e', `${print}\n${code}`], memoryBytes);
}

/** Starts a program of plain CPython, without the guest runtime, in a jail. `print(...)` writes to the channel. */
export async function startPython(code: string, memoryBytes: number = MEMORY_BYTES): Promise<GuestCarrier> {
  const print = 'import sys\nsys.stdout = sys.stderr = open(3, "w", buffering=1)';
  return start(await pythonGuest(), ['-I', '-S', '-B', '-c', `${print}\n${code}`], memoryBytes);
}

export async function runNode(code: string, memoryBytes?: number): Promise<RawRun> {
  return finish(await startNode(code, memoryBytes));
}

export async function runPython(code: string, memoryBytes?: number): Promise<RawRun> {
  return finish(await startPython(code, memoryBytes));
}

/** Waits for the end of a program, and collects its output. */
export async function finish(carrier: GuestCarrier): Promise<RawRun> {
  let output = '';
  carrier.stream.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const closed = new Promise<void>((resolve) => carrier.stream.once('close', () => resolve()));
  const end = await carrier.ended;
  await closed;
  return { output: output.trim(), end };
}

/** Resolves once a program has printed its first line. */
export function firstOutput(carrier: GuestCarrier): Promise<string> {
  return new Promise((resolve) =>
    carrier.stream.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim())),
  );
}

function start(guest: JailGuest, args: readonly string[], memoryBytes: number): GuestCarrier {
  const [interpreter = ''] = guest.command(memoryBytes);
  return launchJail({ ...guest, command: () => [interpreter, ...args] }, memoryBytes);
}
