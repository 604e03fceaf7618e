import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { SandboxProbe } from '../sandbox.ts';
import type { JailGuest } from './guest.ts';
import { prepareJail } from './launch.ts';

const PROBE_MEMORY_BYTES = 64 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 15_000;
const CHANNEL = 3;

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

/** Starts one guest in a jail, waits until it is ready, and ends it. Returns the problem and the fix of a failed start. */
export async function tryJail(guest: JailGuest): Promise<SandboxProbe> {
  const start = prepareJail(guest);
  try {
    const child = spawn(start.command, start.args, {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...start.descriptors],
      timeout: PROBE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      ...start.user,
    });
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk.toString('utf8');
    });
    start.sendArguments(child, PROBE_MEMORY_BYTES);
    const isReady = await new Promise<boolean>((resolve) => {
      child.stdio[CHANNEL]?.once('data', () => resolve(true));
      child.once('close', () => resolve(false));
      child.once('error', (error) => {
        complaint = error.message;
        resolve(false);
      });
    });
    child.kill('SIGKILL');
    return isReady ? { available: true, reason: '' } : diagnose(complaint.trim(), guest);
  } finally {
    start.close();
  }
}

/** Returns the fix for the error output of bubblewrap or the programs before it. */
export function diagnose(complaint: string, guest: Pick<JailGuest, 'binds'>): SandboxProbe {
  const firstLine = complaint.split('\n')[0] || 'the guest ended before it was ready';
  const no = (reason: string, fix: string): SandboxProbe => ({ available: false, reason, fix });
  if (/unknown option --disable-userns/i.test(complaint)) {
    return no('bubblewrap is older than 0.8', 'install bubblewrap 0.8 or newer');
  }
  const unreachable = guest.binds.find(({ source }) => complaint.includes(source));
  if (unreachable && /permission denied/i.test(complaint)) {
    return no(
      `the user that jails run as (nobody, when this process is root) cannot reach ${unreachable.source}`,
      'install the interpreter where every user can read it, such as /usr or /usr/local, or start as a plain user',
    );
  }
  if (/mount proc/i.test(complaint)) {
    return no(
      `this container may not mount /proc (${firstLine})`,
      'start the container with --security-opt systempaths=unconfined, or use another sandbox',
    );
  }
  if (/namespace|unshare|uid_map|operation not permitted|no space left/i.test(complaint)) {
    const closed = SWITCHES.find(({ file, forbids }) => readSwitch(file) === forbids);
    const fix = closed?.fix ?? 'in a container, allow user namespaces: --security-opt seccomp=unconfined';
    return no(`user namespaces are forbidden here (${firstLine})`, fix);
  }
  return no(`a jail does not start (${firstLine})`, 'use another sandbox, or "auto"');
}

function readSwitch(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
