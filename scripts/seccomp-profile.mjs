// Writes deploy/guest-seccomp.json: the system call filter of containers, from the jail's policy for Python, which also
// allows the start of the container's shell. Run it after a change of the policy:
// npm run build && node scripts/seccomp-profile.mjs
import { writeFileSync } from 'node:fs';
import { seccompProfile } from '../packages/sandbox/build/sandboxes/docker/seccomp-profile.js';
import { POLICIES } from '../packages/sandbox/build/sandboxes/jail/policy.js';

const target = new URL('../packages/sandbox/deploy/guest-seccomp.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(seccompProfile(POLICIES.python), null, 2)}\n`);
