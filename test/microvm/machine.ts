import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GuestCarrier, type ProcessEnd, spawnGuest } from '../../packages/sandbox/src/sandboxes/guest-process.ts';
import { createPooledSandbox, type GuestKind } from '../../packages/sandbox/src/sandboxes/pool/pooled.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import type { Kernel } from './kernel.ts';

const MEBIBYTE = 1024 * 1024;
/** For the kernel, the archive of files and its unpacked copy, and the guest's runtime. */
const MACHINE_MIB = 640;
/** V8 aborted, or the machine's kernel killed the guest. */
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [134, 133, 132, 101];

/** A kernel on a busy emulated processor cannot measure its clocks, and would wait for them forever. */
const KERNEL_OPTIONS = 'console=ttyS0 quiet panic=-1 reboot=t nokaslr no_timer_check lpj=4000000 tsc_early_khz=1000000';

export interface MachineFiles {
  readonly kernel: Kernel;
  readonly initramfs: string;
  /** Folder of the consoles of the machines. */
  readonly folder: string;
}

/**
 * Creates a sandbox whose guests are machines with their own kernel, on an emulated processor: slow, but without KVM.
 */
export function emulatedSandbox(files: MachineFiles): Sandbox {
  return createPooledSandbox({
    name: 'microvm',
    isolation: 'emulated machine with a kernel of its own',
    languages: ['javascript', 'python'],
    pool: {},
    maxProcesses: 1,
    warm: 1,
    reusable: () => false,
    start: (kind) => startMachine(kind, files),
    graceMs: () => 0,
    isOutOfMemory: ({ code }: ProcessEnd) => OUT_OF_MEMORY_CODES.includes(code),
  });
}

let started = 0;

/** Boots a machine. Its channel is a port of the machine that is connected to descriptor 3 of the emulator. */
export function startMachine({ guest, memoryBytes }: GuestKind, files: MachineFiles): GuestCarrier {
  const heap = Math.ceil(memoryBytes / MEBIBYTE);
  const cmdline = `${KERNEL_OPTIONS} guest=${guest} heap=${heap}`;
  const console = join(files.folder, `console-${++started}`);
  const machine = spawnGuest('/usr/bin/nice', [
    'qemu-system-x86_64',
    ...['-accel', 'tcg', '-cpu', 'max', '-M', 'microvm,rtc=on', '-smp', '1'],
    ...['-m', `${heap + MACHINE_MIB}`, '-nodefaults', '-no-reboot', '-display', 'none'],
    ...['-kernel', files.kernel.image, '-initrd', files.initramfs, '-append', cmdline],
    ...['-serial', `file:${console}`],
    ...['-chardev', 'socket,id=channel,fd=3', '-device', 'virtio-serial-device'],
    ...['-device', 'virtserialport,chardev=channel,name=toolwright'],
  ]);
  return { ...machine, ended: machine.ended.then((end) => ({ ...end, code: guestCode(console) ?? end.code })) };
}

/**
 * Returns the exit code of the guest, which `/init` writes to the console. The emulator's exit code does not contain
 * it.
 */
function guestCode(console: string): number | undefined {
  if (!existsSync(console)) return undefined;
  const code = /^guest ended: (\d+)/m.exec(readFileSync(console, 'utf8'))?.[1];
  return code === undefined ? undefined : Number(code);
}
