import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeRootFiles } from '../fixtures/root-files.ts';
import type { Kernel } from './kernel.ts';

/**
 * The first process of the machine. Its channel is a virtio port that transfers bytes unchanged, without a terminal.
 * The language and the heap are parameters of the kernel's command line, which the kernel passes as environment
 * variables.
 */
const INIT = `#!/bin/busybox sh
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev
busybox mount -t tmpfs -o size=16m,nr_inodes=1024,mode=1777,noexec,nosuid,nodev tmp /tmp
for module in /modules/*; do busybox insmod $module; done
until (: <>/dev/vport0p1) 2>/dev/null; do busybox usleep 10000; done
busybox chown 65534:65534 /dev/vport0p1
exec 3<>/dev/vport0p1
cd /tmp
busybox su -s /bin/sh nobody -c "exec /bin/sh /toolwright/guest/start.sh $guest $heap" <&3 >&3 2>/dev/console
echo "guest ended: $?" >/dev/console
busybox poweroff -f
`;

/** Packs the files of the container image, the kernel's modules and `/init` into one archive for the boot. */
export function makeInitramfs(file: string, kernel: Kernel): void {
  const root = `${file}.root`;
  rmSync(root, { recursive: true, force: true });
  makeRootFiles(root);
  mkdirSync(join(root, 'modules'));
  for (const [index, module] of kernel.modules.entries()) {
    copyFileSync(module, join(root, 'modules', `${index}-${basename(module)}`));
  }
  writeFileSync(join(root, 'init'), INIT);
  chmodSync(join(root, 'init'), 0o755);
  if (!existsSync(join(root, 'dev'))) mkdirSync(join(root, 'dev'));
  // Uncompressed: the emulated processor would need longer to unpack it than to read it.
  execFileSync('/bin/sh', ['-c', `cd "$0" && find . | busybox cpio -o -H newc >"$1" 2>/dev/null`, root, file]);
  rmSync(root, { recursive: true, force: true });
}
