import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isKnownError } from '../../../errors.ts';
import { isDescriptorShortage } from '../../../processes/descriptors.ts';
import { type CgroupMounts, delegates, findCgroups, sharesProcessors } from './cgroup-mounts.ts';
import { hostGroupName, removeGroupsAtExit, removeOrphanGroups } from './cgroup-orphans.ts';

export interface CgroupLimits {
  readonly memoryBytes: number;
  /** Maximum number of processes and threads. */
  readonly processes: number;
}

/** The control group of one jail. */
export interface Cgroup {
  limit(limits: CgroupLimits): void;
  /**
   * Sets the group's share of the processors to that of a process with a niceness. It holds for all processes of the group, later ones
   * included. Absent if this machine has no groups for it.
   */
  readonly setShare?: (niceness: number) => boolean;
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

/** The usual share of the processors, per version. Each step of niceness divides it, as the kernel does for processes. */
const SHARES = { 1: { file: 'cpu.shares', usual: 1024 }, 2: { file: 'cpu.weight', usual: 100 } } as const;
const NICENESS_STEP = 1.25;

let found: { readonly mounts: CgroupMounts | undefined } | undefined;

/** Creates a group without limits. Returns `undefined` if this process may not. */
export function createCgroup(): Cgroup | undefined {
  found ??= { mounts: prepareMounts() };
  const { mounts } = found;
  if (!mounts) return undefined;
  const path = join(hostGroupName(), `jail-${randomUUID()}`);
  const folders = allFolders(mounts).map((parent) => join(parent, path));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const [memory = ''] = folders;
  const { processors, version } = mounts;
  return {
    limit: (limits) => (version === 1 ? limitVersion1 : limitVersion2)(folders, limits),
    ...(processors && { setShare: (niceness: number) => setShare(join(processors, path), version, niceness) }),
    async join(pid) {
      await Promise.all(folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), String(pid))));
    },
    ranOutOfMemory() {
      const file = mounts.version === 1 ? 'memory.oom_control' : 'memory.events';
      return Number(/^oom_kill (\d+)$/m.exec(readIfPossible(join(memory, file)))?.[1] ?? 0) > 0;
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
    const { processors, ...limits } = mounts;
    removeOrphanGroups(allFolders(mounts));
    const parents = limits.folders.map((folder) => join(folder, hostGroupName()));
    for (const parent of parents) mkdirSync(parent, { recursive: true });
    if (limits.version === 2 && !parents.every(delegates)) return undefined;
    const shared = processors && sharesOf(processors, limits.version);
    removeGroupsAtExit(shared ? [...new Set([...parents, shared])] : parents);
    return shared ? mounts : limits;
  } catch (error) {
    // Groups may work: a jail without them would be a weaker one.
    if (isKnownError(error) || isDescriptorShortage(error)) throw error;
    // Only the administrator may create groups here: jails use limits per process instead.
    return undefined;
  }
}

/** Without a free descriptor the cause of an end is unknown: it is an end without a cause, not a failure of this process. */
function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function allFolders({ folders, processors }: CgroupMounts): readonly string[] {
  return [...new Set(processors === undefined ? folders : [...folders, processors])];
}

/** Creates the group of this process for shares of the processors. Returns `undefined` if this process may not. */
function sharesOf(processors: string, version: CgroupMounts['version']): string | undefined {
  const group = join(processors, hostGroupName());
  try {
    mkdirSync(group, { recursive: true });
  } catch {
    return undefined;
  }
  return version === 1 || sharesProcessors(group) ? group : undefined;
}

function setShare(folder: string, version: CgroupMounts['version'], niceness: number): boolean {
  const { file, usual } = SHARES[version];
  try {
    writeFileSync(join(folder, file), String(Math.round(usual / NICENESS_STEP ** niceness)));
    return true;
  } catch {
    // The group was removed, or its files belong to another user.
    return false;
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
      await rmdir(folder);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return;
    }
    await sleep(REMOVE_PAUSE_MS, undefined, { ref: false });
  }
}
