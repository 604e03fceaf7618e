import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SyscallPolicy } from '../jail/policy.ts';
import type { Engine } from './engine.ts';

const FILE = new URL('../../../deploy/guest-seccomp.json', import.meta.url);
const EPERM = 1;
const ENOSYS = 38;

/**
 * Returns a policy in the format of container engines (`seccomp.json` of Moby, also used by Podman). Calls with forbidden
 * arguments fail like unknown calls: the format has no error per call.
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
      // The C library tries it first. Engines without a default error would refuse it, and so all threads.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ],
  };
}

/** Returns the option that filters a container's system calls: Docker expects the profile, Podman its path. */
export function seccompOption({ command }: Engine): string {
  return `seccomp=${command === 'podman' ? fileURLToPath(FILE) : readFileSync(FILE, 'utf8')}`;
}
