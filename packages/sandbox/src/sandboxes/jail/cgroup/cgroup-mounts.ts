import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDescriptorShortage } from '../../../processes/descriptors.ts';

/** The folders in which this process can create control groups for memory and for the number of processes. */
export interface CgroupMounts {
  readonly version: 1 | 2;
  /** Parent folders of a new group: one per controller in version 1, one for all in version 2. */
  readonly folders: readonly string[];
  /** The parent folder of a new group with a share of the processors, if there is one. */
  readonly processors?: string;
}

const CONTROLLERS = ['memory', 'pids'] as const;
const PROCESSORS = 'cpu';

/**
 * Returns the groups of this process, from the texts of `/proc/self/mountinfo` and `/proc/self/cgroup`. Returns `undefined`
 * unless there are groups for both memory and processes.
 */
export function findCgroups(mountinfo: string, membership: string): CgroupMounts | undefined {
  const mounts = mountinfo.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ');
    const [type = '', , options = ''] = after.split(' ');
    return type.startsWith('cgroup') ? [{ type, root, point, options: options.split(',') }] : [];
  });
  const groups = membership.split('\n').map((line) => {
    const [, controllers = '', ...path] = line.split(':');
    return { controllers: controllers.split(','), path: path.join(':') };
  });

  const separateFolder = (controller: string) => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const group = groups.find(({ controllers }) => controllers.includes(controller));
    return mount && group && folderOf(mount, group.path);
  };
  const separate = CONTROLLERS.map(separateFolder);
  if (separate.every((folder) => folder !== undefined)) {
    const processors = separateFolder(PROCESSORS);
    return { version: 1, folders: separate, processors };
  }

  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const group = groups.find(({ controllers }) => controllers[0] === '');
  if (!unified || !group) return undefined;
  const own = folderOf(unified, group.path);
  // A group that contains processes cannot have limited child groups, so this tries its parent too.
  const folder = [own, dirname(own)].find((candidate) => candidate.startsWith(unified.point) && delegates(candidate));
  if (folder === undefined) return undefined;
  return { version: 2, folders: [folder], processors: sharesProcessors(folder) ? folder : undefined };
}

function folderOf({ root, point }: { root: string; point: string }, path: string): string {
  const below = relative(root, path);
  return below.startsWith('..') ? point : join(point, below);
}

/** Returns whether child groups of a folder have limits. Enables them if permitted. */
export function delegates(folder: string): boolean {
  return hasControllers(folder, CONTROLLERS);
}

/** Returns whether child groups of a folder of version 2 have shares of the processors. Enables them if permitted. */
export function sharesProcessors(folder: string): boolean {
  return hasControllers(folder, [PROCESSORS]);
}

function hasControllers(folder: string, controllers: readonly string[]): boolean {
  const file = join(folder, 'cgroup.subtree_control');
  const isOn = () => {
    const on = readFileSync(file, 'utf8').trim().split(' ');
    return controllers.every((controller) => on.includes(controller));
  };
  try {
    if (!isOn()) writeFileSync(file, controllers.map((controller) => `+${controller}`).join(' '));
    return isOn();
  } catch (error) {
    if (isDescriptorShortage(error)) throw error;
    return false;
  }
}
