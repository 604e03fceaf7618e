import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Computer, probeMachine, thisComputer } from './probe.ts';

/** Answers a probe as `test/fixtures/msb.mjs` does, and starts ten times faster. */
const MSB_SCRIPT = `#!/bin/sh
case "$1" in
  --version) echo "msb $(cat "$MSB_HOME/version" 2>/dev/null || echo 0.6.18)" ;;
  *) grep -qxF -- "$3" "$MSB_HOME/images" ;;
esac
`;
const IMAGE = 'toolwright-guest:1';
const ABLE: Computer = { platform: 'linux', arch: 'x64', cpuinfo: 'flags\t\t: fpu vmx sse\n', kvm: 'usable' };

let home = '';
let msb = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolwright-msb-'));
  msb = join(home, 'msb.sh');
  writeFileSync(msb, MSB_SCRIPT, { mode: 0o755 });
  writeFileSync(join(home, 'images'), IMAGE);
  vi.stubEnv('MSB_HOME', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

test('a host that can boot machines, with msb and the image, is ready', async () => {
  expect(await probeMachine(IMAGE, msb, ABLE)).toEqual({
    available: true,
    reason: `microVM of msb 0.6.18 with the image ${IMAGE}`,
  });
});

const NO_FLAG = 'the processor offers no virtualization: no vmx or svm flag in /proc/cpuinfo';

test.each<[string, Partial<Computer>, string, string | undefined]>([
  [
    'the device without the flags',
    { cpuinfo: 'flags : fpu sse svmx\n' },
    `${NO_FLAG}, although /dev/kvm exists`,
    'VT-x',
  ],
  ['neither flags nor device', { cpuinfo: '', kvm: 'missing' }, NO_FLAG, 'nested virtualization'],
  ['the flags without the device', { kvm: 'missing' }, '/dev/kvm does not exist', 'modprobe kvm_intel'],
  ['a device of others', { kvm: 'denied' }, 'this user may not read and write /dev/kvm', 'usermod -aG kvm'],
  [
    'another system',
    { platform: 'win32' },
    'microVMs need Linux with KVM or a Mac with Apple silicon, this is win32 x64',
    undefined,
  ],
  [
    'an old Mac',
    { platform: 'darwin' },
    'microVMs need Linux with KVM or a Mac with Apple silicon, this is darwin x64',
    undefined,
  ],
])('%s is reported with the fix', async (_, lacking, reason, fix) => {
  const probe = await probeMachine(IMAGE, msb, { ...ABLE, ...lacking });
  expect([probe.available, probe.reason]).toEqual([false, reason]);
  expect(probe.fix ?? '').toContain(fix ?? '');
  expect(probe.fix === undefined).toBe(fix === undefined);
});

test.each<[string, Partial<Computer>]>([
  ['AMD', { cpuinfo: 'processor : 0\nflags : fpu svm\n' }],
  ['arm64, which has no such flag', { arch: 'arm64', cpuinfo: 'Features : fp asimd\n' }],
  ['Apple silicon', { platform: 'darwin', arch: 'arm64', cpuinfo: '', kvm: 'missing' }],
])('%s can boot machines', async (_, computer) => {
  expect((await probeMachine(IMAGE, msb, { ...ABLE, ...computer })).available).toBe(true);
});

test('a path without msb is reported', async () => {
  expect(await probeMachine(IMAGE, '/nowhere/msb', ABLE)).toEqual({
    available: false,
    reason: '/nowhere/msb is not an executable file',
    fix: 'give the path of msb',
  });
});

test('without msb, the fix is to install it', async () => {
  vi.stubEnv('PATH', home);
  const probe = await probeMachine(IMAGE, undefined, ABLE);
  expect([probe.available, probe.reason]).toEqual([false, 'msb, the command of microsandbox, is not installed']);
  expect(probe.fix).toContain('npm install --global microsandbox@0.6.18');
});

test.each([
  ['0.5.10', false],
  ['0.6.0', true],
  ['0.6.99', true],
  ['0.7.0', false],
  ['1.0.0', false],
])('version %s: %s', async (version, available) => {
  writeFileSync(join(home, 'version'), version);
  const probe = await probeMachine(IMAGE, msb, ABLE);
  expect(probe.available).toBe(available);
  if (!available) expect(probe.reason).toContain(`msb is version ${version}, but 0.6.0 or newer`);
});

test('another program of that name is not msb', async () => {
  const probe = await probeMachine(IMAGE, '/bin/false', ABLE);
  expect([probe.available, probe.reason]).toEqual([
    false,
    expect.stringContaining('/bin/false --version failed: Command failed'),
  ]);
});

test('an image that msb does not have is reported with the command to load it', async () => {
  const probe = await probeMachine('other:2', msb, ABLE);
  expect([probe.available, probe.reason]).toEqual([false, 'msb has no image other:2']);
  expect(probe.fix).toContain('docker save other:2 | msb load');
});

test('reads the facts about this computer', () => {
  const computer = thisComputer();
  expect([computer.platform, computer.kvm !== 'missing']).toEqual([process.platform, existsSync('/dev/kvm')]);
});
