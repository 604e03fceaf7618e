import { readFileSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { childrenOf } from '../fixtures/processes.ts';
import { finish, firstOutput, needsJail, runNode, runPython, startPython } from './raw.ts';

const javascript = await probeJail('javascript');
const python = await probeJail('python');
const NAMESPACES = ['user', 'pid', 'net', 'mnt', 'ipc', 'uts', 'cgroup'];

interface Facts {
  readonly status: string;
  readonly first: { readonly environ: string; readonly cmdline: string };
  readonly environ: string;
  readonly namespaces: Record<string, string>;
  readonly mounts: string;
  readonly descriptors: Record<string, string>;
  readonly root: string[];
  readonly hostname: string;
}

const NODE_FACTS = `
const fs = require('fs');
const read = (path) => fs.readFileSync(path, 'utf8');
const links = (folder) => Object.fromEntries(fs.readdirSync(folder).flatMap((name) => {
  try { return [[name, fs.readlinkSync(folder + '/' + name)]] } catch { return [] }
}));
print(JSON.stringify({
  status: read('/proc/self/status'), environ: read('/proc/self/environ'), mounts: read('/proc/self/mountinfo'),
  first: { environ: read('/proc/1/environ'), cmdline: read('/proc/1/cmdline') },
  namespaces: links('/proc/self/ns'), descriptors: links('/proc/self/fd'), root: fs.readdirSync('/'),
  hostname: require('os').hostname(),
}))`;

const PYTHON_FACTS = `
import json, os
def read(path):
    return open(path).read()
def links(folder):
    found = {}
    for name in os.listdir(folder):
        try: found[name] = os.readlink(folder + "/" + name)
        except OSError: pass
    return found
print(json.dumps({
  "status": read("/proc/self/status"), "environ": read("/proc/self/environ"), "mounts": read("/proc/self/mountinfo"),
  "first": {"environ": read("/proc/1/environ"), "cmdline": read("/proc/1/cmdline")},
  "namespaces": links("/proc/self/ns"), "descriptors": links("/proc/self/fd"), "root": os.listdir("/"),
  "hostname": os.uname().nodename,
}))`;

/** Checks the facts that are true in every jail. */
function checkFacts(facts: Facts): void {
  const status = new Map(facts.status.split('\n').map((line) => line.split(':\t') as [string, string]));
  expect(status.get('Uid')?.split('\t')).toEqual(Array(4).fill('65534'));
  expect(status.get('Gid')?.split('\t')).toEqual(Array(4).fill('65534'));
  expect(
    status
      .get('Groups')
      ?.trim()
      .split(' ')
      .filter((group) => group !== '' && group !== '65534'),
  ).toEqual([]);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(status.get(set)).toMatch(/^0+$/);
  expect([status.get('NoNewPrivs'), status.get('Seccomp')]).toEqual(['1', '2']);

  for (const namespace of NAMESPACES) {
    expect(facts.namespaces[namespace]).toMatch(/^\w+:\[\d+\]$/);
    expect(facts.namespaces[namespace]).not.toBe(readlinkSync(`/proc/self/ns/${namespace}`));
  }
  expect(facts.hostname).toBe('sandbox');
  expect(facts.environ.replace('PYTHONHASHSEED=0\0', '')).toBe('PWD=/\0');
  expect(facts.first.environ).toBe('');
  expect(facts.first.cmdline).not.toMatch(/\/(tmp|home|root|work)\b|node_modules|src\//);
}

/** Returns the writable mounts: mount point and options of the file system. */
function writableMounts({ mounts }: Facts): string[][] {
  return mounts
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , , , , options = '']) => !options.split(',').includes('ro'))
    .map((fields) => [fields[4] ?? '', fields.at(-1) ?? '']);
}

needsJail(javascript).describe('a jail for JavaScript, from inside', () => {
  it('has its own namespaces, no rights, no writable folder', async () => {
    const { output } = await runNode(NODE_FACTS);
    const facts: Facts = JSON.parse(output);
    checkFacts(facts);
    expect(writableMounts(facts)).toEqual([]);
    expect(facts.root.sort()).toEqual(expect.arrayContaining(['proc', 'toolwright']));
    expect(facts.root.filter((name) => /^(etc|home|root|tmp|dev|sys|var|run|bin)$/.test(name))).toEqual([]);
    // In addition to its standard streams and the channel, it has only descriptors that Node creates for itself.
    const { '0': stdin, '1': stdout, '2': stderr, '3': channel, ...others } = facts.descriptors;
    expect([stdin, stdout, stderr]).toEqual(Array(3).fill('/dev/null'));
    expect(channel).toMatch(/^socket:/);
    expect(Object.values(others).filter((target) => !/^(anon_inode|pipe):/.test(target))).toEqual([]);
  });
});

needsJail(python).describe('a jail for Python, from inside', () => {
  it('has its own namespaces, no rights, two writable folders that share a limited size', async () => {
    const { output } = await runPython(PYTHON_FACTS);
    const facts: Facts = JSON.parse(output);
    checkFacts(facts);
    const size = expect.stringMatching(/size=\d+k,nr_inodes=\d+/);
    expect(writableMounts(facts)).toEqual([
      ['/tmp', size],
      ['/workspace', size],
    ]);
    const mount = facts.mounts.split('\n').find((line) => line.split(' ')[4] === '/tmp');
    expect(mount?.split(' ')[5]).toMatch(/nosuid,nodev,noexec/);
    expect(facts.root.filter((name) => /^(etc|home|root|dev|sys|var|run|bin)$/.test(name))).toEqual([]);
    expect(facts.descriptors).toEqual({
      0: '/dev/null',
      1: '/dev/null',
      2: '/dev/null',
      3: expect.stringMatching(/^socket:/),
    });
  });

  it('runs as a user that is not root outside either, and has no rights there', async () => {
    const carrier = await startPython('print("there")\nimport time\ntime.sleep(60)');
    await firstOutput(carrier);
    const outside = childrenOf().filter(({ command }) => command.includes('time.sleep(60)'));
    const inside = outside.flatMap(({ pid }) => childrenOf(pid)).flatMap(({ pid }) => childrenOf(pid));
    expect(inside).toHaveLength(1);
    const status = readFileSync(`/proc/${inside[0]?.pid}/status`, 'utf8');
    const expected = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
    expect(status).toMatch(new RegExp(`^Uid:${`\\t${expected}`.repeat(4)}$`, 'm'));
    expect(expected).not.toBe(0);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    const finished = finish(carrier);
    carrier.kill();
    await finished;
  });
});
