import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CgroupMounts, delegates, findCgroups } from './cgroup-mounts.ts';
import { hostGroupName, removeGroupsAtExit, removeOrphanGroups } from './cgroup-orphans.ts';

export interface CgroupLimits {
  readonly memoryBytes: number;
  /** Maximum number of processes and threads. */
  readonly processes: number;
}

/** The control group of one jail. */
export interface Cgroup {
  limit(limits: CgroupLimits): void;
  /** Moves a process into the group, with everything that it will start. It takes the kernel about 10 ms. */
  join(pid: number): Promise<void>;
  /** Returns whether the kernel has killed a process of the group because of the memory limit. */
  ranOutOfMemory(): boolean;
  /** Removes the group once all its processes have ended. Never rejects. */
  remove(): Promise<void>;
}

/** A group is not empty at once when its last process has ended. */
const REMOVE_ATTEMPTS = 250;
const REMOVE_PAUSE_MS = 20;

let found: { readonly mounts: CgroupMounts | undefined } | undefined;

/** Creates a group without limits. Returns `undefined` if this process may not. */
export function createCgroup(): Cgroup | undefined {
  found ??= { mounts: prepareMounts() };
  const { mounts } = found;
  if (!mounts) return undefined;
  const parents = mounts.folders.map((folder) => join(folder, hostGroupName()));
  const name = `jail-${randomUUID()}`;
  const folders = parents.map((parent) => join(parent, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const [memory = ''] = folders;
  return {
    limit: (limits) => (mounts.version === 1 ? limitVersion1 : limitVersion2)(folders, limits),
    async join(pid) {
      await Promise.all(folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), String(pid))));
    },
    ranOutOfMemory() {
      const file = mounts.version === 1 ? 'memory.oom_control' : 'memory.events';
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(memory, file), 'utf8'))?.[1] ?? 0) > 0;
    },
    async remove() {
      for (const folder of folders) await removeFolder(folder);
    },
  };
}

/** Returns whether jails have control groups on this machine. */
export function hasCgroups(): boolean {
  found ??= { mounts: prepareMounts() };
  return found.mounts !== undefined;
}

/** Finds the folders for groups by creating one. */
function prepareMounts(): CgroupMounts | undefined {
  try {
    const mounts = findCgroups(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
    if (!mounts) return undefined;
    removeOrphanGroups(mounts.folders);
    const parents = mounts.folders.map((folder) => join(folder, hostGroupName()));
    for (const parent of parents) mkdirSync(parent, { recursive: true });
    if (mounts.version === 2 && !parents.every(delegates)) return undefined;
    removeGroupsAtExit(parents);
    return mounts;
  } catch {
    // Only the administrator may create groups here: jails use limits per process instead.
    return undefined;
  }
}

function limitVersion1([memory = '', pids = '']: readonly string[], limits: CgroupLimits): void {
  writeFileSync(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
  try {
    writeFileSync(join(memory, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes));
  } catch {
    // This kernel does not limit swap, or has none.
  }
  writeFileSync(join(pids, 'pids.max'), String(limits.processes));
}

function limitVersion2([folder = '']: readonly string[], limits: CgroupLimits): void {
  writeFileSync(join(folder, 'memory.max'), String(limits.memoryBytes));
  try {
    writeFileSync(join(folder, 'memory.swap.max'), '0');
  } catch {
    // See above.
  }
  writeFileSync(join(folder, 'pids.max'), String(limits.processes));
}

async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt++) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return;
    }
    await sleep(REMOVE_PAUSE_MS, undefined, { ref: false });
  }
}
