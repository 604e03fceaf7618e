import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCgroups } from './cgroup-mounts.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwright-cgroups-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Creates a folder of version 2 with the controllers that it delegates. */
function group(path: string, controllers: string): void {
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, 'cgroup.subtree_control'), `${controllers}\n`);
}

const mountOf = (point: string, inside = '/') =>
  `41 31 0:38 ${inside} ${point} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate`;

describe('findCgroups', () => {
  it('finds the two folders of version 1', () => {
    const mounts = [
      '23 1 254:0 / / rw - ext4 /dev/vda rw',
      '35 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
      '39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids',
      '40 31 0:37 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct',
      mountOf('/sys/fs/cgroup/unified'),
    ].join('\n');
    expect(findCgroups(mounts, '8:pids:/a\n4:memory:/b/c\n1:cpu,cpuacct:/d\n0::/')).toEqual({
      version: 1,
      folders: ['/sys/fs/cgroup/memory/b/c', '/sys/fs/cgroup/pids/a'],
      processors: '/sys/fs/cgroup/cpu/d',
    });
  });

  it('finds the mount point of a part of the tree, as in a container', () => {
    const mounts = [
      '35 31 0:31 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory',
      '39 31 0:36 /docker/x /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids',
    ].join('\n');
    const found = findCgroups(mounts, '8:pids:/docker/x\n4:memory:/docker/x/y');
    expect(found?.folders).toEqual(['/sys/fs/cgroup/memory/y', '/sys/fs/cgroup/pids']);
  });

  it('uses the own group of version 2 if it delegates both controllers', () => {
    group('', '');
    group('service', 'cpu memory pids');
    expect(findCgroups(mountOf(root), '0::/service')).toEqual({
      version: 2,
      folders: [join(root, 'service')],
      processors: join(root, 'service'),
    });
  });

  it('uses the parent if the own group has processes, and so delegates nothing', () => {
    group('', 'memory pids');
    group('user', 'io memory pids');
    mkdirSync(join(root, 'user/app'));
    expect(findCgroups(mountOf(root), '0::/user/app')).toEqual({ version: 2, folders: [join(root, 'user')] });
  });

  it('enables the controllers if permitted', () => {
    group('', '');
    group('service', '');
    // A plain file keeps its content. The kernel would return the enabled controllers.
    findCgroups(mountOf(root), '0::/service');
    expect(readFileSync(join(root, 'service/cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
  });

  it('finds nothing without control groups', () => {
    expect(findCgroups('23 1 254:0 / / rw - ext4 /dev/vda rw', '')).toBeUndefined();
    mkdirSync(join(root, 'service'));
    expect(findCgroups(mountOf(root), '0::/service')).toBeUndefined();
  });
});
