import { readdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { startWatcher } from '../../processes/watcher.ts';

/**
 * Control groups outlive the processes in them: somebody has to remove those of a host that was killed. A small `sh`
 * does, once the end of its stdin tells it that the host is gone; what even that has missed goes at the next start.
 */
const CLEANUP_SCRIPT = `
trap '' INT TERM HUP
read -r _
tries=0
while [ $tries -lt 100 ]; do
  for group in "$@"; do rmdir "$group"/*/ "$group" 2>/dev/null; done
  left=
  for group in "$@"; do [ -d "$group" ] && left=1; done
  [ -z "$left" ] && exit 0
  tries=$((tries + 1))
  sleep 0.1 2>/dev/null || sleep 1
done
`;
const PREFIX = 'toolwright-';
/** Index of a process's start time in its `stat`, counted behind its name. */
const START_TIME = 19;

let isWatched = false;

/** The name of this process's own group: its number alone could be another's by tomorrow. */
export function hostGroupName(): string {
  return `${PREFIX}${namespace()}-${process.pid}-${startTime(process.pid)}`;
}

/** Has the groups removed when this process has ended, in whatever way. */
export function removeGroupsAtExit(groups: readonly string[]): void {
  if (isWatched) return;
  isWatched = true;
  startWatcher('/bin/sh', ['-c', CLEANUP_SCRIPT, 'sh', ...groups], { PATH: '/usr/bin:/bin' }, () => {
    isWatched = false;
  });
}

/** Removes the groups of hosts that are no more. One that still holds a process stays. */
export function removeOrphanGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      const [space, pid = '', start] = name.slice(PREFIX.length).split('-');
      const isOurs = name.startsWith(PREFIX) && space === namespace();
      if (!isOurs || startTime(Number(pid)) === start) continue;
      for (const inner of foldersIn(join(folder, name))) removeEmpty(inner);
      removeEmpty(join(folder, name));
    }
  }
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something runs in it, or another process was faster.
  }
}

/** The number of the process namespace: the same group folder may be seen from several. */
function namespace(): string {
  return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
}

function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME];
  } catch {
    return undefined;
  }
}
