import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SyscallPolicy } from '../jail/policy.ts';
import type { Engine } from './engine.ts';

const FILE = new URL('../../../deploy/guest-seccomp.json', import.meta.url);
const EPERM = 1;
const ENOSYS = 38;

/**
 * A policy in the form that container engines read (`seccomp.json` of Moby, which Podman shares). What an argument forbids
 * does not exist either: an engine cannot give each call an error of its own.
 */
export function seccompProfile({ allowed, checked, refused }: SyscallPolicy): object {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: ENOSYS,
    syscalls: [
      { names: allowed, action: 'SCMP_ACT_ALLOW' },
      ...checked.flatMap(({ call, argument, mask, values }) =>
        values.map((value) => ({
          names: [call],
          action: 'SCMP_ACT_ALLOW',
          args: [{ index: argument, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' }],
        })),
      ),
      { names: refused, action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
      // The C library asks for it first; engines that know no default error would refuse it, and so all threads.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ],
  };
}

/** The option that makes an engine filter the system calls of a container: Docker takes the profile, Podman its path. */
export function seccompOption({ command }: Pick<Engine, 'command'>): string {
  return `seccomp=${command === 'podman' ? fileURLToPath(FILE) : readFileSync(FILE, 'utf8')}`;
}
