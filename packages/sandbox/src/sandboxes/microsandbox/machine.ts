import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { SandboxError } from '../../errors.ts';
import { endText, type GuestCarrier, type ProcessEnd, spawnGuest } from '../guest-process.ts';
import type { GuestKind } from '../pooled.ts';
import { commandEnv } from './command.ts';
import { machineName } from './machine-name.ts';
import type { VmReaper } from './vm-reaper.ts';

const MEBIBYTE = 1024 * 1024;
/** What the machine takes beside the program's memory, MiB: kernel, agent, `/tmp` and the guest's runtime. */
const MACHINE_MIB = { javascript: 192, python: 160 } as const;
const TMP_MIB = 16;
/** `nobody`, which owns nothing in the image. */
const USER = '65534:65534';
/** Most that is kept of what `msb` says when it fails, characters. */
const MAX_OUTPUT_CHARACTERS = 2_000;
/** A machine boots in less than a second; the first one of an image also has its file system made. */
const START_TIMEOUT_MS = 60_000;

/**
 * Boots a machine, then becomes the command whose standard streams are the guest's: `$0` is msb, `$1` the machine, `$2`
 * the language, `$3` its heap in MiB, all else for `create`. Descriptor 3 is the channel, 4 what msb says.
 */
const START = `
command=$0 name=$1 guest=$2 heap=$3
shift 3
"$command" create --quiet --name "$name" "$@" </dev/null 1>&4 2>&4 3<&- || exit
exec "$command" exec --stream --quiet "$name" -- /bin/sh /toolwright/guest/start.sh "$guest" "$heap" 0<&3 1>&3 2>&4 3<&- 4>&-
`;

export interface MachineSettings {
  /** Path of `msb`. */
  readonly command: string;
  readonly image: string;
  readonly reaper: VmReaper;
}

/** Starts a machine of its own kernel with one guest in it; the machine is removed when the guest has ended. */
export function startMachine({ guest, memoryBytes }: GuestKind, settings: MachineSettings): GuestCarrier {
  const { command, image, reaper } = settings;
  const name = machineName();
  const heap = Math.ceil(memoryBytes / MEBIBYTE);
  const args = [name, guest, String(heap), ...createOptions(heap + MACHINE_MIB[guest]), image];
  const env = Object.entries(commandEnv()).map(([key, value]) => `${key}=${value}`);

  let pid: number | undefined;
  let consoleOutput = '';
  let hasStarted = false;
  let killed = false;
  const kill = () => {
    killed = true;
    if (pid !== undefined) killGroup(pid);
  };
  const { stream, ended } = spawnGuest('/usr/bin/env', [...env, '/bin/sh', '-c', START, command, ...args], {
    descriptors: ['pipe'],
    onStart(child) {
      pid = child.pid;
      onText(child, (text) => {
        consoleOutput = (consoleOutput + text).slice(-MAX_OUTPUT_CHARACTERS);
      });
    },
  });
  const removed = reaper.keep(name, ended);
  const overdue = setTimeout(() => {
    consoleOutput += `no machine within ${START_TIMEOUT_MS / 1_000} s`;
    if (pid !== undefined) killGroup(pid);
  }, START_TIMEOUT_MS).unref();
  stream.once('data', () => {
    hasStarted = true;
    clearTimeout(overdue);
  });

  return {
    stream,
    kill,
    ended: ended.then(async (end): Promise<ProcessEnd> => {
      pid = undefined;
      clearTimeout(overdue);
      const byItself = !killed;
      await removed;
      return byItself ? { ...end, ...causeOf(end, hasStarted, consoleOutput.trim()) } : end;
    }),
  };
}

/** Why a machine ended of itself, in the words of `msb`. A guest says nothing there. */
function causeOf(end: ProcessEnd, hasStarted: boolean, consoleOutput: string): Partial<ProcessEnd> {
  if (hasStarted) {
    return consoleOutput === ''
      ? {}
      : { error: new SandboxError('SANDBOX_LOST', `The microVM was lost: ${consoleOutput}`) };
  }
  const message = `msb did not start a microVM (${endText(end)}): ${consoleOutput}\nRun "toolwright doctor" for what is missing.`;
  return { error: new SandboxError('SANDBOX_UNAVAILABLE', message) };
}

function createOptions(memoryMib: number): string[] {
  return [
    ...['--pull', 'never', '--no-net', '--hostname', 'sandbox'],
    ...['--cpus', '1', '--memory', `${memoryMib}M`, '--tmpfs', `/tmp:${TMP_MIB}M`],
    ...['--user', USER, '--security', 'restricted'],
  ];
}

function onText(child: ChildProcess, listener: (text: string) => void): void {
  const output = child.stdio[4];
  if (output instanceof Readable) output.setEncoding('utf8').on('data', listener);
}

/** The shell, `msb` and what that started of its own: an npm installation of it is two processes. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
