import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { SandboxError } from '../../errors.ts';
import { descriptorShortage, isDescriptorShortage } from '../../processes/descriptors.ts';
import { childrenOf } from '../../processes/processor.ts';
import { type GuestCarrier, spawnGuest } from '../guest-process.ts';
import { jailArguments, jailLine, MAX_PROCESSES, NOBODY, slotCommand } from './arguments.ts';
import { type Cgroup, createCgroup } from './cgroup/cgroup.ts';
import { inheritedDescriptors } from './descriptors.ts';
import type { JailGuest } from './guest.ts';
import { POLICIES } from './policy.ts';
import { compileSeccomp } from './seccomp.ts';
import { findTools } from './tools.ts';

const ARGUMENTS = 4;
const SECCOMP = 5;
const FIRST_FILE = 6;

/** The arguments and descriptors of a child process that becomes a jail. */
interface JailStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Descriptors of the child from 4 on. */
  readonly descriptors: readonly ('pipe' | 'ignore' | number)[];
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Sends the child the line that it waits for. */
  sendArguments(child: ChildProcess, memoryBytes: number): void;
  /** Closes the opened files. Call it after the child has started or failed to start. */
  close(): void;
}

/** A process that waits in its own control group until it becomes a jail. */
export interface CgroupSlot {
  readonly carrier: GuestCarrier;
  /** True once the process has ended. */
  readonly gone: boolean;
  /** Turns the process into a jail. Call it once. Ends the process when that fails. */
  take(memoryBytes: number): void;
}

/** The first process inside is killed first, then after this time the whole process group. */
const KILL_AGAIN_MS = 500;

/** Prepares the start of a jail. Raises `SANDBOX_UNAVAILABLE` if a required program is missing. */
export function prepareJail(guest: JailGuest): JailStart {
  const tools = findTools();
  const { files, nothing, unwanted, close } = openFiles(guest);
  const descriptors: ('pipe' | 'ignore' | number)[] = ['pipe', 'pipe', ...files];
  for (const descriptor of unwanted) {
    while (descriptors.length < descriptor - ARGUMENTS) descriptors.push('ignore');
    descriptors[descriptor - ARGUMENTS] = nothing;
  }
  const [command, ...args] = slotCommand(tools, guest, ARGUMENTS);
  return {
    command,
    args,
    descriptors,
    user: process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {},
    sendArguments(child, memoryBytes) {
      const line = jailLine(tools, guest, memoryBytes, { args: ARGUMENTS, unwanted });
      const jailArgs = jailArguments(guest, { seccomp: SECCOMP, files: files.map((_, index) => FIRST_FILE + index) });
      send(child, ARGUMENTS, Buffer.from(`${line}\n${jailArgs.map((argument) => `${argument}\0`).join('')}`));
      send(child, SECCOMP, seccompOf(guest.language));
    },
    close,
  };
}

/** Opens the files of a jail, and finds the descriptors that it must not inherit. Leaves nothing open when it fails. */
function openFiles(guest: JailGuest) {
  const opened: number[] = [];
  const open = (path: string): number => {
    opened.push(openSync(path, 'r'));
    return opened.at(-1) as number;
  };
  const close = () => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  try {
    const files = guest.files.map(({ source }) => open(source));
    const nothing = open('/dev/null');
    const unwanted = inheritedDescriptors().filter((descriptor) => descriptor >= FIRST_FILE + files.length);
    return { files, nothing, unwanted, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Starts a process that waits to become a jail. Raises `SANDBOX_UNAVAILABLE` if a required program is missing. */
export function openCgroupSlot(guest: JailGuest): CgroupSlot {
  const start = prepareJail(guest);
  let cgroup: Cgroup | undefined;
  try {
    cgroup = createCgroup();
    const group = cgroup;
    let child: ChildProcess | undefined;
    const {
      stream,
      kill,
      ended,
      setNiceness,
      residentBytes: _,
      ...processor
    } = spawnGuest(start.command, start.args, {
      descriptors: start.descriptors,
      ...start.user,
      onStart(started) {
        child = started;
      },
    });
    // Nothing reads the stream before there is a jail. The end of the process reports the failure.
    stream.on('error', () => undefined);
    const pid = child?.pid;
    const joined = pid === undefined ? undefined : group?.join(pid);
    let shortage: SandboxError | undefined;
    joined?.catch((error: unknown) => {
      if (isDescriptorShortage(error)) shortage = descriptorShortage(error);
      kill();
    });
    let gone = false;
    const carrier = {
      ...processor,
      stream,
      ended: ended.then((end) => {
        gone = true;
        const outOfMemory = group?.ranOutOfMemory() ?? false;
        void group?.remove();
        return { ...end, ...(outOfMemory && { outOfMemory }), ...(shortage && { error: shortage }) };
      }),
      kill: () => killJail(child),
      setNiceness: (niceness: number) => (group?.setShare ?? setNiceness)?.(niceness) ?? true,
    };
    return {
      carrier,
      get gone() {
        return gone;
      },
      take(memoryBytes) {
        try {
          // Files in memory are no memory of the program.
          const memory = guest.baseBytes + memoryBytes + (guest.scratch?.bytes ?? 0);
          group?.limit({ memoryBytes: memory, processes: MAX_PROCESSES });
        } catch (error) {
          killJail(child);
          throw error;
        }
        // The process starts nothing outside of its group.
        void Promise.resolve(joined).then(
          () => child && start.sendArguments(child, memoryBytes),
          () => undefined,
        );
      },
    };
  } catch (error) {
    void cgroup?.remove();
    throw error;
  } finally {
    start.close();
  }
}

/** Starts a guest in its own jail. Raises `SANDBOX_UNAVAILABLE` if a required program is missing. */
export function launchJail(guest: JailGuest, memoryBytes: number): GuestCarrier {
  const slot = openCgroupSlot(guest);
  slot.take(memoryBytes);
  return slot.carrier;
}

const programs = new Map<string, Buffer>();

function seccompOf(language: JailGuest['language']): Buffer {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  const program = programs.get(language) ?? compileSeccomp(POLICIES[language], architecture);
  programs.set(language, program);
  return program;
}

function send(child: ChildProcess, descriptor: number, data: Buffer): void {
  const pipe = child.stdio[descriptor];
  if (!(pipe instanceof Writable)) return;
  pipe.on('error', () => undefined);
  pipe.end(data);
}

/**
 * Kills the first process of the jail's process namespace. The kernel then kills all others of the namespace, and bubblewrap
 * ends after the last one. Before there is such a process, it kills the whole process group: bubblewrap may start the process
 * at this moment. Alone, it would wait for ever, with the channel open.
 */
export function killJail(child: ChildProcess | undefined): void {
  const pid = child?.pid;
  if (pid === undefined || child?.exitCode !== null || child.signalCode !== null) return;
  const inner = childrenOf(pid);
  if (inner.length === 0) kill(-pid);
  for (const process_ of inner) kill(process_);
  const again = setTimeout(() => kill(-pid), KILL_AGAIN_MS).unref();
  child.once('exit', () => clearTimeout(again));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
