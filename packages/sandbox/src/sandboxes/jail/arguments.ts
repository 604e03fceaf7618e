import { release } from 'node:os';
import { descriptorLimit } from '../../processes/descriptors.ts';
import type { JailGuest } from './guest.ts';
import type { JailTools } from './tools.ts';

/** Mount point of the guest's writable folders in the outer namespace: a folder that every system has, and no jail contains. */
const SCRATCH_MOUNT = '/sys';
/** The writable folders of the guest. They share one file system, so that they share its size. */
const WRITABLE = ['tmp', 'workspace'];
/** The user inside, and outside if this process is root: a user who owns no files. */
export const NOBODY = 65_534;
/** Maximum number of processes and threads of one jail. Node alone has eleven. */
export const MAX_PROCESSES = 32;
const MAX_DESCRIPTORS = 128;
/** The usual stack of a main thread. A larger stack would be memory that no other limit counts. */
const MAX_STACK_BYTES = 8 * 1024 * 1024;
const MAX_QUEUED_SIGNALS = 256;
/** Bubblewrap writes the guest's files under this limit. */
const MIN_FILE_BYTES = 1024 * 1024;

/** Returns the arguments that bubblewrap reads from a descriptor; `files` are the descriptors of the guest's files. */
export function jailArguments(
  guest: JailGuest,
  { seccomp, files }: { seccomp: number; files: readonly number[] },
): string[] {
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--uid', `${NOBODY}`, '--gid', `${NOBODY}`, '--hostname', 'sandbox', '--clearenv'],
    ...Object.entries(guest.environment ?? {}).flatMap((variable) => ['--setenv', ...variable]),
    ...guest.binds.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...guest.files.flatMap(({ target }, index) => ['--perms', '0444', '--file', `${files[index]}`, target]),
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...(guest.scratch ? WRITABLE.flatMap((name) => ['--bind', `${SCRATCH_MOUNT}/${name}`, `/${name}`]) : []),
    ...['--remount-ro', '/', '--chdir', '/', '--seccomp', `${seccomp}`],
  ];
}

/**
 * Returns a command that waits in its own user namespace for a line on descriptor `args`, and then executes the line. Before,
 * it mounts the file systems that need more options than bubblewrap has.
 */
export function slotCommand(tools: JailTools, guest: JailGuest, args: number): readonly [string, ...string[]] {
  const own = ['--user', '--map-root-user'];
  const wait = `n='\n'; IFS= read -r line <&${args} && eval "exec $line"`;
  if (!guest.scratch) return [tools.unshare, ...own, tools.sh, '-c', wait];
  const { bytes, files } = guest.scratch;
  const options = `size=${bytes},nr_inodes=${files},mode=0700,nosuid,nodev,noexec`;
  const mount = `"$0" -t tmpfs -o ${options} tmpfs ${SCRATCH_MOUNT}`;
  const folders = WRITABLE.map((name) => `${SCRATCH_MOUNT}/${name}`).join(' ');
  return [
    tools.unshare,
    ...own,
    '--mount',
    tools.sh,
    '-c',
    `${mount} && "$1" -m 700 ${folders} && ${wait}`,
    tools.mount,
    tools.mkdir,
  ];
}

/**
 * Returns the line that turns the waiting command into a jail. It sets the limits inside of the namespace, so that the number
 * of processes counts for this jail only.
 */
export function jailLine(
  tools: JailTools,
  guest: JailGuest,
  memoryBytes: number,
  { args, unwanted }: { args: number; unwanted: readonly number[] },
): string {
  const words = [
    // The shell adds variables to the environment.
    ...[tools.env, '-i', tools.prlimit],
    ...resourceLimits(guest, memoryBytes),
    tools.bwrap,
    // Bubblewrap closes a descriptor after it has read arguments from it.
    ...[args, ...unwanted].flatMap((descriptor) => ['--args', `${descriptor}`]),
    '--',
    ...guest.command(memoryBytes),
  ];
  return words.map(quote).join(' ');
}

/** Returns a quoted word for the shell of `slotCommand`, whose variable `n` is a line break. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''").replaceAll('\n', `'"$n"'`)}'`;
}

function resourceLimits(guest: JailGuest, memoryBytes: number): string[] {
  return [
    `--data=${guest.baseDataBytes + memoryBytes}`,
    `--fsize=${guest.scratch?.bytes ?? MIN_FILE_BYTES}`,
    `--nofile=${Math.min(MAX_DESCRIPTORS, descriptorLimit() ?? MAX_DESCRIPTORS)}`,
    `--stack=${MAX_STACK_BYTES}`,
    `--sigpending=${MAX_QUEUED_SIGNALS}`,
    '--core=0',
    '--memlock=0',
    '--msgqueue=0',
    ...(countsProcessesPerNamespace() ? [`--nproc=${MAX_PROCESSES}`] : []),
  ];
}

/** Since Linux 5.14, the limit counts per namespace; before, it also counts the user's processes outside. */
function countsProcessesPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
