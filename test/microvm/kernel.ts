import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A Linux kernel to boot, and the drivers that it has as modules. */
export interface Kernel {
  readonly image: string;
  readonly version: string;
  /** In the required order. */
  readonly modules: readonly string[];
}

const CACHE = fileURLToPath(new URL('../../.toolwright/microvm/', import.meta.url));
const PACKAGE = 'linux-image-cloud-amd64';
/** Finds the devices of a machine without PCI, and drives the device of the channel. */
const MODULES = ['virtio/virtio_ring', 'virtio/virtio', 'virtio/virtio_mmio', 'char/virtio_console'];

/** Returns the missing parts to boot a machine here; undefined without any. */
export function missingHere(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'needs Linux on x64';
  const programs = ['qemu-system-x86_64', 'busybox', 'apt-get', 'dpkg-deb', 'python3'];
  const missing = programs.filter(
    (program) => !['/usr/bin', '/bin'].some((folder) => existsSync(join(folder, program))),
  );
  return missing.length === 0 ? undefined : `not found: ${missing.join(', ')}`;
}

/** Fetches Debian's kernel for virtual machines from its package, once. */
export function fetchKernel(): Kernel {
  const root = join(CACHE, 'kernel');
  if (!existsSync(root)) {
    mkdirSync(join(CACHE, 'package'), { recursive: true });
    const depends = execFileSync('apt-cache', ['depends', PACKAGE], { encoding: 'utf8' });
    const name = /Depends: (linux-image-\S+)/.exec(depends)?.[1] ?? PACKAGE;
    execFileSync('apt-get', ['download', name], { cwd: join(CACHE, 'package'), stdio: 'ignore' });
    const [file = ''] = readdirSync(join(CACHE, 'package')).filter((entry) => entry.endsWith('.deb'));
    execFileSync('dpkg-deb', ['-x', join(CACHE, 'package', file), `${root}.part`]);
    renameSync(`${root}.part`, root);
  }
  const image = readdirSync(join(root, 'boot')).find((entry) => entry.startsWith('vmlinuz-')) ?? '';
  const version = image.replace('vmlinuz-', '');
  const modules = MODULES.map((module) => join(root, 'lib/modules', version, 'kernel/drivers', `${module}.ko`));
  return { image: join(root, 'boot', image), version, modules };
}
