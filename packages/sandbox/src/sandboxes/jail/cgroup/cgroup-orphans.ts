import { readdirSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { startWatcher } from '../../../processes/watcher.ts';

/**
 * Control groups outlive their processes. A small `sh` process removes the groups of a killed host: its stdin ends with the
 * host. The next start of a host removes the remaining ones.
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
/** Index of the start time in the `stat` of a process, counted after its name. */
const START_TIME = 19;

let isWatched = false;

/** Returns the name for groups of this process. It includes the start time, because process ids are reused. */
export function hostGroupName(): string {
  return `${PREFIX}${namespace()}-${process.pid}-${startTime(process.pid)}`;
}

/** Starts a process that removes the groups when this process has ended, even on SIGKILL. */
export function removeGroupsAtExit(groups: readonly string[]): void {
  if (isWatched) return;
  startWatcher('/bin/sh', ['-c', CLEANUP_SCRIPT, 'sh', ...groups], { PATH: '/usr/bin:/bin' }, () => {
    isWatched = false;
  });
  isWatched = true;
}

/** Removes the groups of ended hosts, except those that still contain a process. */
export function removeOrphanGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      const [space, pid = '', start] = name.slice(PREFIX.length).split('-');
      const isInNamespace = name.startsWith(PREFIX) && space === namespace();
      if (!isInNamespace || startTime(Number(pid)) === start) continue;
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
    // The group contains a process, or another host has removed it.
  }
}

/** Returns the id of the process namespace: several namespaces may share a folder of groups. */
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
