import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf } from './faults.ts';
import { atMost, type Figure } from './report.ts';
import type { Service } from './served.ts';

const MIB = 1024 * 1024;
/** Idle guests end after 25 s. */
const SETTLE_MS = 60_000;
const LOOK_MS = 1_000;

/** The resources of the service at one moment. */
export interface Resources {
  /** Without those of open connections of clients, who keep them for 65 s. */
  readonly descriptors: number;
  readonly processes: number;
  readonly memoryBytes: number;
  /** Files in the folder of temporary files, and unfinished files in the data folder. */
  readonly temporaryFiles: number;
  readonly controlGroups: number;
}

/** Measures the service. Only Linux has these figures. */
export function measure({ url, pid, temporary, dataDir }: Service): Resources {
  const unfinished = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(isUnfinished);
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length - connectionsOf(url),
    processes: descendantsOf(pid).length,
    memoryBytes: residentMib(pid) * MIB,
    temporaryFiles: readdirSync(temporary, { recursive: true }).length + unfinished.length,
    controlGroups: groupsOf(pid),
  };
}

/** Returns the resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Waits until the service holds no more than before, `moreBytes` of memory excepted, and returns the last figures. */
export async function settle(service: Service, before: Resources, moreBytes: number): Promise<Resources> {
  const deadline = performance.now() + SETTLE_MS;
  let after = measure(service);
  while (resourceFigures(before, after, moreBytes).some(({ holds }) => !holds) && performance.now() < deadline) {
    await sleep(LOOK_MS);
    after = measure(service);
  }
  return after;
}

/** Returns the figures of a service that may hold no more than before, `moreBytes` of memory excepted. */
export function resourceFigures(before: Resources, after: Resources, moreBytes: number): Figure[] {
  return [
    atMost('descriptors', after.descriptors, before.descriptors),
    atMost('processes', after.processes, before.processes),
    atMost('memory', after.memoryBytes / MIB, (before.memoryBytes + moreBytes) / MIB, ' MiB'),
    atMost('temporary files', after.temporaryFiles, before.temporaryFiles),
    atMost('control groups', after.controlGroups, before.controlGroups),
  ];
}

/** Counts the connections of a server that both ends hold open. */
function connectionsOf(url: string): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const open = new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ 01 `, 'gm');
  return readFileSync('/proc/net/tcp', 'utf8').match(open)?.length ?? 0;
}

function isUnfinished(path: string): boolean {
  return /\.(tmp|temp|part)$|(^|\/)\.(draft|tmp|new)/.test(path);
}

/** Counts the control groups of the service's jails. */
function groupsOf(pid: number): number {
  const { stdout } = spawnSync('find', ['/sys/fs/cgroup', '-path', `*/toolwright-*-${pid}-*/jail-*`, '-type', 'd'], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter(Boolean).length;
}
