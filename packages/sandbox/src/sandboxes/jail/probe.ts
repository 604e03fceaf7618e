import type { SpawnOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { messageOf, SandboxError } from '../../errors.ts';
import { withDescriptors } from '../../processes/descriptors.ts';
import { startProcess } from '../../processes/start-process.ts';
import type { SandboxProbe } from '../sandbox.ts';
import type { JailGuest } from './guest.ts';
import { prepareJail } from './launch.ts';

const PROBE_MEMORY_BYTES = 64 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 15_000;
const CHANNEL = 3;
/** The most characters that a reason quotes. */
const MAX_WORDS = 200;

/** Settings of the kernel or the administrator that forbid jails, and their fixes. */
const SWITCHES = [
  {
    file: '/proc/sys/kernel/unprivileged_userns_clone',
    forbids: '0',
    fix: 'run as root: sysctl -w kernel.unprivileged_userns_clone=1',
  },
  {
    file: '/proc/sys/user/max_user_namespaces',
    forbids: '0',
    fix: 'run as root: sysctl -w user.max_user_namespaces=10000',
  },
  {
    file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    forbids: '1',
    fix: 'run as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give bwrap and unshare an AppArmor profile with "userns,"',
  },
] as const;

/**
 * Starts one guest in a jail, waits until it is ready, and ends it. Returns the problem and the fix of a failed start. Raises
 * `BUSY` when the machine lacks descriptors, processes, memory or time at present: jails may work here.
 */
export async function tryJail(guest: JailGuest): Promise<SandboxProbe> {
  const start = withDescriptors(() => prepareJail(guest));
  try {
    let onError: (error: NodeJS.ErrnoException) => void = () => undefined;
    const options: SpawnOptions = {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...start.descriptors],
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      ...start.user,
    };
    const child = startProcess(start.command, start.args, options, (error) => onError(error));
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk.toString('utf8');
    });
    start.sendArguments(child, PROBE_MEMORY_BYTES);
    const failed = await new Promise<Failure | undefined>((resolve) => {
      child.stdio[CHANNEL]?.once('data', () => resolve(undefined));
      // Only the time limit has killed it by now.
      child.once('close', (code, signal) => resolve({ complaint, end: endText(code, signal), isLate: child.killed }));
      onError = ({ message }) => resolve({ complaint: message, end: 'not started' });
    });
    child.kill('SIGKILL');
    return failed === undefined ? { available: true, reason: '' } : diagnose(failed, guest);
  } catch (error) {
    // Node raises it when the kernel refuses the user of jails.
    if (start.user.uid === undefined || !REFUSED_USER.has((error as NodeJS.ErrnoException).code)) throw error;
    return {
      available: false,
      reason: `this process is root and cannot start jails as the user nobody, ${start.user.uid} (${messageOf(error)})`,
      fix: 'start as a plain user, or give the container more user ids (/etc/subuid, uid_map)',
    };
  } finally {
    start.close();
  }
}

/** Errors of `setuid` in a user namespace that does not have the user id. */
const REFUSED_USER: ReadonlySet<string | undefined> = new Set(['EINVAL', 'EPERM']);

/** The end of a jail that did not become ready. */
export interface Failure {
  /** The error output of the program that failed. */
  readonly complaint: string;
  /** How its process ended. */
  readonly end: string;
  /** Whether it was killed because it was not ready in time. */
  readonly isLate?: boolean | undefined;
}

/** Errors of a machine that lacks processes, memory or descriptors at present, by the programs that create jails. */
const SHORTAGE =
  /^(bwrap|unshare|mount|env|sh|prlimit): .*(temporarily unavailable|cannot allocate|too many open files|cannot fork)|^spawn .*\b(EAGAIN|ENOMEM|EMFILE|ENFILE)$/im;

/** Returns the error of a jail that failed because the machine is short of something now; `undefined` for other failures. */
function shortageOf({ complaint, isLate = false }: Failure): SandboxError | undefined {
  if (!isLate && !SHORTAGE.test(complaint)) return undefined;
  const problem = isLate ? `it was not ready within ${PROBE_TIMEOUT_MS / 1_000} s` : tellingLine(complaint);
  const fix = 'Try again in some seconds. If it stays so, raise the limits of this process, or name another sandbox.';
  return new SandboxError('BUSY', `The machine is too busy to try the sandbox "jail": ${problem}. ${fix}`);
}

/**
 * Returns which layer of the jail failed, with the words of the program that failed, and the fix. Raises `BUSY` when the machine is
 * short of something at present.
 */
export function diagnose({ complaint, end, isLate }: Failure, guest: JailGuest): SandboxProbe {
  const shortage = shortageOf({ complaint, end, isLate });
  if (shortage) throw shortage;
  const words = tellingLine(complaint) ?? `it printed nothing and ended with ${end}`;
  const no = (reason: string, fix: string): SandboxProbe => ({ available: false, reason, fix });
  if (/unknown option --disable-userns/i.test(complaint)) {
    return no(`bubblewrap is older than 0.8 (${words})`, 'install bubblewrap 0.8 or newer');
  }
  const unreachable = guest.binds.find(({ source }) => complaint.includes(source));
  if (unreachable && /permission denied/i.test(complaint)) {
    return no(
      `the user that jails run as (nobody, when this process is root) cannot reach ${unreachable.source}`,
      'install the interpreter where every user can read it, such as /usr or /usr/local, or start as a plain user',
    );
  }
  if (/seccomp|no_new_privs/i.test(complaint)) {
    return no(
      `the kernel refused the system call filter (${words})`,
      'use a kernel with CONFIG_SECCOMP_FILTER, or in a container: --security-opt seccomp=unconfined',
    );
  }
  if (/mount proc/i.test(complaint)) {
    return no(
      `this container may not mount /proc (${words})`,
      'start the container with --security-opt systempaths=unconfined, or use another sandbox',
    );
  }
  if (/^(bwrap|unshare|mount): /m.test(complaint) && FORBIDDEN.test(complaint)) return no(...forbidden(words));
  if (/^prlimit: /m.test(complaint)) {
    return no(
      `the resource limits of a jail cannot be set (${words})`,
      'raise the hard limits of this process: ulimit -H -a',
    );
  }
  if (/^(bwrap|unshare|mount|env|sh): /m.test(complaint) && !/execvp/.test(complaint)) {
    return no(`bubblewrap cannot build the jail (${words})`, 'correct this, or use another sandbox');
  }
  const interpreter = guest.binds[0]?.source ?? 'the interpreter';
  if (/out of memory|reserve virtual memory|cannot allocate memory/i.test(complaint)) {
    return no(
      `${interpreter} does not start within the memory of a jail (${words})`,
      'use a Node that Toolwright supports (20, 22, 24 or 26), or report this version',
    );
  }
  return no(
    `${interpreter} does not start in the jail (${words})`,
    'start it by hand, install another version of it, or use another sandbox',
  );
}

/** Errors of the programs that create namespaces, where the kernel or a container forbids them. */
const FORBIDDEN = /namespace|unshare|uid.?map|gid.?map|RTM_|operation not permitted|permission denied|no space left/i;

function forbidden(words: string): [reason: string, fix: string] {
  const closed = SWITCHES.find(({ file, forbids }) => readSwitch(file) === forbids);
  if (closed === undefined) {
    return [
      `user namespaces are forbidden here (${words})`,
      'in a container, allow user namespaces: --security-opt seccomp=unconfined',
    ];
  }
  const name = closed.file.replace('/proc/sys/', '').replaceAll('/', '.');
  return [`user namespaces are forbidden here by ${name}=${closed.forbids} (${words})`, closed.fix];
}

/** Returns the first line with words: V8 starts its reports with empty comments. */
function tellingLine(complaint: string): string | undefined {
  const lines = complaint.split('\n').map((line) => line.replace(/^[#\s]+/, '').trim());
  return lines.find((line) => /[a-z]{3}/i.test(line))?.slice(0, MAX_WORDS);
}

function endText(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL') return 'SIGKILL: out of memory';
  return signal ?? `exit code ${code}`;
}

function readSwitch(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
