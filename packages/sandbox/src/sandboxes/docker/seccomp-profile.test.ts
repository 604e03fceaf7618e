import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { POLICIES } from '../jail/policy.ts';
import { seccompOption, seccompProfile } from './seccomp-profile.ts';

test('the profile in deploy/ matches the policy; npm run build && node scripts/seccomp-profile.mjs writes it', () => {
  const file = readFileSync(new URL('../../../deploy/guest-seccomp.json', import.meta.url), 'utf8');
  expect(JSON.parse(file)).toEqual(seccompProfile(POLICIES.python));
});

test('Docker receives the profile, Podman its path', () => {
  expect(JSON.parse(seccompOption(partial({ command: 'docker' })).replace(/^seccomp=/, ''))).toHaveProperty('syscalls');
  expect(seccompOption(partial({ command: 'podman' }))).toMatch(/^seccomp=\/.*\/deploy\/guest-seccomp\.json$/);
});
