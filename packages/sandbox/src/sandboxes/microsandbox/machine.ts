import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { SandboxError } from '../../errors.ts';
import { endText, type GuestCarrier, type ProcessEnd, spawnGuest } from '../guest-process.ts';
import { PYTHON_PACKAGES } from '../jail/guest.ts';
import type { GuestKind } from '../pool/pooled.ts';
import { commandEnv } from './command.ts';
import { machineName } from './machine-name.ts';
import type { VmReaper } from './vm-reaper.ts';

const MEBIBYTE = 1024 * 1024;
/** Memory of the machine in addition to the program's, MiB: for kernel, agent, `/tmp` and the guest runtime. */
const MACHINE_MIB = { javascript: 192, python: 160 } as const;
const TMP_MIB = 16;
/** The usual files of a workspace. They take memory of the machine. */
const WORKSPACE_MIB = 256;
/** `nobody`, who owns no files in the image. */
const USER = '65534:65534';
/** Maximum number of kept characters of the error output of `msb`. */
const MAX_OUTPUT_CHARACTERS = 2_000;
/** A machine boots in less than a second, but the first one of an image also creates its file system. */
const START_TIMEOUT_MS = 60_000;

/**
 * Boots a machine, then executes the command whose standard streams are the guest's. `$0` is msb, `$1` the machine, `$2` the
 * language, `$3` its heap in MiB, the rest is for `create`. Descriptor 3 is the channel, 4 the output of msb.
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
  /** Folder of the Python packages. */
  readonly packages?: string | undefined;
}

/** Starts a machine with its own kernel for one guest. The machine is removed when the guest has ended. */
export function startMachine({ guest, memoryBytes }: GuestKind, settings: MachineSettings): GuestCarrier {
  const { command, image, reaper, packages } = settings;
  const mounts =
    guest === 'python' && packages !== undefined ? ['--mount-dir', `${packages}:${PYTHON_PACKAGES}:ro`] : [];
  const name = machineName();
  const heap = Math.ceil(memoryBytes / MEBIBYTE);
  const args = [name, guest, String(heap), ...createOptions(heap + MACHINE_MIB[guest]), ...mounts, image];
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
    consoleOutput += `no machine started within ${START_TIMEOUT_MS / 1_000} s`;
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

/** Returns the error for a machine that ended by itself, with the output of `msb`. Guests cannot write there. */
function causeOf(end: ProcessEnd, hasStarted: boolean, consoleOutput: string): Partial<ProcessEnd> {
  if (hasStarted) {
    return consoleOutput === ''
      ? {}
      : { error: new SandboxError('SANDBOX_LOST', `The microVM was lost: ${consoleOutput}`) };
  }
  const message = `msb did not start a microVM (${endText(end)}): ${consoleOutput}\nRun "toolwright doctor" for the missing parts.`;
  return { error: new SandboxError('SANDBOX_UNAVAILABLE', message) };
}

function createOptions(memoryMib: number): string[] {
  return [
    ...['--pull', 'never', '--no-net', '--hostname', 'sandbox'],
    ...['--cpus', '1', '--memory', `${memoryMib}M`, '--tmpfs', `/tmp:${TMP_MIB}M`],
    ...['--tmpfs', `/workspace:${WORKSPACE_MIB}M`],
    ...['--user', USER, '--security', 'restricted'],
  ];
}

function onText(child: ChildProcess, listener: (text: string) => void): void {
  const output = child.stdio[4];
  if (output instanceof Readable) output.setEncoding('utf8').on('data', listener);
}

/** Kills the shell, `msb` and its children: `msb` from npm is two processes. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
