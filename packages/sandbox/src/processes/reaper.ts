import { setTimeout as sleep } from 'node:timers/promises';
import { startWatcher, type Watcher } from './watcher.ts';

/**
 * Nothing that we start may outlive us, however we end. One small `sh` process per host, in a session of its own, reads
 * the process groups to watch from its stdin; the end of that stream means that we are gone, even by SIGKILL.
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

/** Milliseconds between two looks at a group that was told to end. */
const POLL_MS = 20;

const groups = new Set<number>();
let watcher: Watcher | undefined;
let exitHookInstalled = false;

/**
 * Promises that the process group `pid` (a child started with `detached: true`) is ended when this process ends, in
 * whatever way: SIGTERM first, SIGKILL 0.3 s later. Call it right after the start of the child.
 */
export function registerGroup(pid: number): void {
  groups.add(pid);
  if (!exitHookInstalled) {
    exitHookInstalled = true;
    process.on('exit', () => {
      // The guardian follows with SIGKILL; without one (Windows) there is no second chance.
      for (const group of groups) signalGroup(group, watcher === undefined ? 'SIGKILL' : 'SIGTERM');
    });
  }
  if (process.platform === 'win32') return;
  if (watcher === undefined) watcher = startReaper();
  else watcher.stdin.write(`+${pid}\n`);
}

/** Ends the promise of {@link registerGroup}; call it once the whole group is known to be gone. */
export function unregisterGroup(pid: number): void {
  if (groups.delete(pid)) watcher?.stdin.write(`-${pid}\n`);
}

/** Ends a process group: SIGTERM, and SIGKILL for what is still there after `graceMs` milliseconds. */
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

/** Sends a signal to a whole process group; false when there is no such group (any more). */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    // EPERM (macOS: only zombies are left) still means that there is something.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startReaper(): Watcher {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  const started = startWatcher('/bin/sh', ['-c', REAPER_SCRIPT], env, (ended) => {
    // It could not start or somebody killed it: the next registration starts another, which learns of all groups.
    if (watcher === ended) watcher = undefined;
  });
  started.stdin.write([...groups].map((group) => `+${group}\n`).join(''));
  return started;
}
