import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { needs } from '../fixtures/needs.ts';
import { type Child, childrenOf, commandLine } from '../fixtures/processes.ts';
import { needsJail } from './raw.ts';

/** The built package in separate processes: with descriptors of a parent, as another user, and killed. */
const python = await probeJail('python');
const HOST = fileURLToPath(new URL('../fixtures/jail-host.mjs', import.meta.url));
const PLAIN_USER = 12_345;
const LEFT_OVER_MS = 10_000;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwright-hosts-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a host to its end. Returns the one line of JSON that it prints. */
async function runHost(options: SpawnOptions): Promise<{ probes: unknown; outcomes: { value: string }[] }> {
  const child = spawn(process.execPath, [HOST, 'end', 'mark'], { cwd: '/', ...options });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output);
}

function isReachable(path: string): boolean {
  const open = (statSync(path).mode & 0o5) !== 0;
  return open && (path === '/' || isReachable(dirname(path)));
}

function descendantsOf(pid: number): Child[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child.pid)]);
}

function isThere({ pid, command }: Child): boolean {
  return command !== '' && commandLine(pid) === command;
}

/** Returns the control groups of a host's jails. */
function groupsOf(pid: number | undefined): string[] {
  // Folders appear and disappear meanwhile. Only `find` reports an error about that.
  const { stdout } = spawnSync('find', ['/sys/fs/cgroup', '-name', `toolwright-*-${pid}-*`], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}

needsJail(python).describe('a host of jails', () => {
  it('passes no descriptor that it has inherited to its guests', async () => {
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'secret');
    const leaked = openSync(secret, 'r');
    const stdio: SpawnOptions['stdio'] = [
      'ignore',
      'pipe',
      'inherit',
      leaked,
      leaked,
      ...Array(40).fill('ignore'),
      leaked,
    ];
    const { outcomes } = await runHost({ stdio });
    expect(JSON.parse(outcomes[1]?.value ?? '')).toEqual({
      marker: 'mark',
      open: ['/dev/null', '/dev/null', '/dev/null', expect.stringMatching(/^socket:/)],
      uid: 65_534,
    });
  });

  const asRoot = process.getuid?.() === 0;
  const reachable = isReachable(HOST) && isReachable(process.execPath);
  const missing = asRoot ? (reachable ? undefined : 'a plain user cannot read this folder') : 'not root';
  needs('root', missing).it('works for a plain user', async () => {
    const { probes, outcomes } = await runHost({
      stdio: ['ignore', 'pipe', 'inherit'],
      uid: PLAIN_USER,
      gid: PLAIN_USER,
      env: {},
    });
    expect(probes).toEqual(Array(2).fill(expect.objectContaining({ available: true })));
    expect(outcomes.map(({ value }) => JSON.parse(value))).toEqual([
      { marker: 'mark', bytes: 1_000_000 },
      expect.objectContaining({ marker: 'mark', uid: 65_534 }),
    ]);
  });

  it('leaves nothing behind when it is killed', async () => {
    const marker = `left-${process.pid}-${Date.now()}`;
    const child = spawn(process.execPath, [HOST, 'wait', marker], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise<void>((resolve) => {
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8');
        if (output.includes('waiting')) resolve();
      });
    });
    const started = descendantsOf(child.pid ?? 0);
    expect(started.filter(({ command }) => command.includes('/toolwright/')).length).toBeGreaterThan(6);
    child.kill('SIGKILL');
    const left = () => [...started.filter(isThere), ...groupsOf(child.pid)];
    for (const deadline = Date.now() + LEFT_OVER_MS; left().length > 0 && Date.now() < deadline; ) await sleep(50);
    expect(left()).toEqual([]);
  });
});
