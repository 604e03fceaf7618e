import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { DEPLOY } from './yaml.ts';

const UNIT = join(DEPLOY, 'toolwright.service');
const settings = [...readFileSync(UNIT, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [
  key,
  value,
]);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it('runs the server as a user without rights, in a read-only file system with one folder for data', () => {
  expect(settings).toEqual(
    expect.arrayContaining([
      ['DynamicUser', 'yes'],
      ['NoNewPrivileges', 'yes'],
      ['CapabilityBoundingSet', ''],
      ['ProtectSystem', 'strict'],
      ['ProtectHome', 'yes'],
      ['PrivateTmp', 'yes'],
      ['StateDirectory', 'toolwright'],
      ['StateDirectoryMode', '0700'],
      ['UMask', '0077'],
    ]),
  );
  const [, command = ''] = settings.find(([key]) => key === 'ExecStart') ?? [];
  expect(command).toMatch(
    /^\/usr\/bin\/node \/\S+\/toolwright\/dist\/cli\.js serve --config \/etc\/toolwright\/toolwright\.json$/,
  );
});

it('sets nothing that stops the sandbox "jail" or the compiler of V8', () => {
  const keys = settings.map(([key]) => key);
  for (const key of ['RestrictNamespaces', 'PrivateUsers', 'ProtectHostname', 'MemoryDenyWriteExecute']) {
    expect(keys).not.toContain(key);
  }
  expect(Object.fromEntries(settings).Delegate?.split(' ')).toEqual(['memory', 'pids', 'cpu']);
});

it.skipIf(!hasSystemd)('is valid for systemd-analyze (skipped: systemd is not installed)', () => {
  // systemd refuses units outside of its folders that are links or have unusual rights.
  const copy = join(temporaryFolder(), 'toolwright.service');
  copyFileSync(UNIT, copy);
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8' });
  const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('toolwright.service'));
  // The unit names the programs of the machine that it is installed on.
  expect(complaints.filter((line) => !/is not executable: No such file/.test(line))).toEqual([]);
});
