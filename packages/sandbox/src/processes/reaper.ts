import { setTimeout as sleep } from 'node:timers/promises';
import { isKnownError } from '../errors.ts';
import { startWatcher, type Watcher } from './watcher.ts';

/**
 * No child process may outlive this process, however it ends. One small `sh` process per host, in its own session, reads the
 * process groups to watch from its stdin. That stream ends with this process, even on SIGKILL.
 */
const REAPER_SCRIPT = `
trap '' INT TERM HUP
groups=
while read -r line; do
  group=\${line#?}
  case $line in
    +*) groups="$groups $group" ;;
    -*) kept=; for g in $groups; do [ "$g" = "$group" ] || kept="$kept $g"; done; groups=$kept ;;
  esac
done
[ -z "$groups" ] && exit 0
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
sleep 0.3 2>/dev/null || sleep 1
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
`;

/** Milliseconds between two checks of a group that received SIGTERM. */
const POLL_MS = 20;

const groups = new Set<number>();
let watcher: Watcher | undefined;
let exitHookInstalled = false;

/**
 * Ensures that the process group `pid` (a child started with `detached: true`) ends with this process, however that ends:
 * SIGTERM first, SIGKILL 0.3 s later. Call it right after the start of the child.
 */
export function registerGroup(pid: number): void {
  groups.add(pid);
  if (!exitHookInstalled) {
    exitHookInstalled = true;
    process.on('exit', () => {
      // The reaper follows with SIGKILL. Windows has no reaper, so SIGKILL comes at once.
      for (const group of groups) signalGroup(group, watcher === undefined ? 'SIGKILL' : 'SIGTERM');
    });
  }
  if (process.platform === 'win32') return;
  if (watcher === undefined) startReaper();
  else watcher.stdin.write(`+${pid}\n`);
}

/** Reverts {@link registerGroup}. Call it once the whole group has ended. */
export function unregisterGroup(pid: number): void {
  if (groups.delete(pid)) watcher?.stdin.write(`-${pid}\n`);
}

/** Ends a process group: SIGTERM, then SIGKILL for the remaining processes after `graceMs` milliseconds. */
export async function endGroup(pid: number, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  for (let there = signalGroup(pid, 'SIGTERM'); there; there = signalGroup(pid, 0)) {
    if (performance.now() >= deadline) {
      signalGroup(pid, 'SIGKILL');
      return;
    }
    await sleep(POLL_MS);
  }
}

/** Sends a signal to a whole process group. Returns false if the group does not exist. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    // EPERM (macOS: only zombies are left) means that the group still exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A reaper that does not start or is killed is replaced by the next registration, which sends all groups. */
function startReaper(): void {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  try {
    watcher = startWatcher('/bin/sh', ['-c', REAPER_SCRIPT], env, (ended) => {
      if (watcher === ended) watcher = undefined;
    });
    watcher.stdin.write([...groups].map((group) => `+${group}\n`).join(''));
  } catch (error) {
    if (!isKnownError(error)) throw error;
  }
}
