import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { buildCommand } from '../docker/image.ts';
import type { SandboxProbe } from '../sandbox.ts';
import { callCommand, findCommand } from './command.ts';

/** The facts about a computer that decide whether it can boot a machine. */
export interface Computer {
  readonly platform: string;
  readonly arch: string;
  /** The text of `/proc/cpuinfo`, empty if it does not exist. */
  readonly cpuinfo: string;
  readonly kvm: 'missing' | 'denied' | 'usable';
}

/** The supported versions: they have the command line options `exec --stream` and `remove --force`. */
const KNOWN_VERSIONS = { from: [0, 6, 0], below: [0, 7, 0] } as const;
const TESTED_VERSION = '0.6.18';
const INSTALL = `run: npm install --global microsandbox@${TESTED_VERSION} (Node 22 or newer), or see https://microsandbox.dev`;

/** Returns whether a machine can run here: checks virtualization, `msb` and the image. Starts no machine. */
export async function probeMachine(
  image: string,
  given: string | undefined,
  computer: Computer = thisComputer(),
): Promise<SandboxProbe> {
  const lacking = lackOf(computer);
  if (lacking) return { available: false, ...lacking };

  const command = findCommand(given);
  if (command === undefined) {
    return given === undefined
      ? { available: false, reason: 'msb, the command of microsandbox, is not installed', fix: INSTALL }
      : { available: false, reason: `${given} is not an executable file`, fix: 'give the path of msb' };
  }
  const answer = await callCommand(command, '--version');
  const version = /^msb (\d+\.\d+\.\d+)/.exec(answer.stdout)?.[1];
  if (answer.code !== 0 || version === undefined) {
    const output = (answer.stderr || answer.stdout).trim().slice(0, 300);
    return { available: false, reason: `${command} --version failed: ${output}`, fix: INSTALL };
  }
  if (!isKnown(version)) {
    const range = `${KNOWN_VERSIONS.from.join('.')} or newer, below ${KNOWN_VERSIONS.below.join('.')}`;
    return { available: false, reason: `msb is version ${version}, but ${range} is required`, fix: INSTALL };
  }
  const inspected = await callCommand(command, 'image', 'inspect', image);
  if (inspected.code !== 0) {
    const fix = `run: ${buildCommand(image, 'docker')} && docker save ${image} | msb load`;
    return { available: false, reason: `msb has no image ${image}`, fix };
  }
  return { available: true, reason: `microVM of msb ${version} with the image ${image}` };
}

/** Reads the facts about this computer. */
export function thisComputer(): Computer {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return {
    platform: process.platform,
    arch: process.arch,
    cpuinfo: process.platform === 'linux' ? read('/proc/cpuinfo') : '',
    kvm: accessTo('/dev/kvm'),
  };
}

function lackOf({ platform, arch, cpuinfo, kvm }: Computer): Omit<SandboxProbe, 'available'> | undefined {
  if (platform === 'darwin' && arch === 'arm64') return undefined;
  if (platform !== 'linux') {
    return { reason: `microVMs need Linux with KVM or a Mac with Apple silicon, this is ${platform} ${arch}` };
  }
  // On other processors the device is enough. On x86 it may exist without virtualization.
  if (arch === 'x64' && !/^flags\s*:.*\b(vmx|svm)\b/m.test(cpuinfo)) {
    const device = kvm === 'missing' ? '' : ', although /dev/kvm exists';
    return {
      reason: `the processor offers no virtualization: no vmx or svm flag in /proc/cpuinfo${device}`,
      fix: 'turn VT-x or AMD-V on in the firmware, or nested virtualization in the host of this virtual machine',
    };
  }
  if (kvm === 'missing') return { reason: '/dev/kvm does not exist', fix: 'run: modprobe kvm_intel (or kvm_amd)' };
  if (kvm === 'denied') {
    return {
      reason: 'this user may not read and write /dev/kvm',
      fix: 'run: sudo usermod -aG kvm $USER, then log in again',
    };
  }
  return undefined;
}

function accessTo(device: string): Computer['kvm'] {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return 'usable';
  } catch {
    return existsSync(device) ? 'denied' : 'missing';
  }
}

function isKnown(version: string): boolean {
  const parts = version.split('.').map(Number);
  const isBelow = (other: readonly number[]) => {
    const index = parts.findIndex((part, at) => part !== other[at]);
    return index >= 0 && (parts[index] ?? 0) < (other[index] ?? 0);
  };
  return !isBelow(KNOWN_VERSIONS.from) && isBelow(KNOWN_VERSIONS.below);
}
