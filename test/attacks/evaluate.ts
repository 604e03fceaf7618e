import { lstat, readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import type { FinishedRun, ReceivedCall } from '@toolwright/conformance/sandbox';
import type { Canaries } from './canaries.ts';

/** The effects of an attack. */
export interface Evidence {
  readonly run: FinishedRun;
  /** The calls that the tools received from the attacker. */
  readonly received: readonly ReceivedCall[];
  readonly before: HostState;
  readonly after: HostState;
}

/** The state of the host that an attack might change. */
export interface HostState {
  /** Files and folders of the environment, without those of the attacker and the journals. */
  readonly files: readonly string[];
  /** Names on the objects that everything else inherits from. */
  readonly globals: string;
  readonly hostname: string;
}

/** Folders of the host's records of executions, which grow with every attack. */
const RECORDS = /^data\/(?:executions|history)$/;
const WATCHED: readonly (readonly [string, object])[] = Object.entries({
  Object: Object.prototype,
  Array: Array.prototype,
  Function: Function.prototype,
  String: String.prototype,
  Number: Number.prototype,
  Promise: Promise.prototype,
  Map: Map.prototype,
  Error: Error.prototype,
  JSON,
});

/** Reads the state of the host. */
export async function readHostState({ dir }: Canaries): Promise<HostState> {
  const all = await tree(dir, dir);
  return {
    files: [
      ...all.filter((path) => !/^data\/(executions|history|owners|journal\.key$|sessions\/attacker)/.test(path)),
      ...(await coreDumps()),
    ],
    hostname: hostname(),
    globals: JSON.stringify(WATCHED.map(([name, value]) => [name, Object.getOwnPropertyNames(value)])),
  };
}

/** Returns every violation in the evidence; empty when the attack had no effect. */
export async function judge(canaries: Canaries, { run, received, before, after }: Evidence): Promise<string[]> {
  const violations: string[] = [];
  const taken = [
    JSON.stringify([{ ...run.result, file: undefined }, run.progress, received], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
    ...(await contents(canaries.workspace)),
  ];
  for (const [name, secret] of canaries.secrets) {
    if (taken.some((text) => holds(text, secret))) violations.push(`the secret of the ${name} got out`);
  }
  for (const path of [process.cwd(), canaries.dataDir, '/node_modules/']) {
    if (taken.some((text) => text.includes(path))) violations.push(`a path of the host got out: ${path}`);
  }
  if (canaries.connections() > 0) violations.push(`${canaries.connections()} connections were made`);
  if (!(await canaries.isCanaryUnharmed())) violations.push('a file of the host was changed');
  if (after.files.join('\n') !== before.files.join('\n')) {
    violations.push(`files appeared or vanished: ${after.files.filter((path) => !before.files.includes(path))}`);
  }
  if (after.hostname !== before.hostname) violations.push('the host was renamed');
  if (after.globals !== before.globals) violations.push('the globals of the host were changed');
  return violations;
}

/** Returns whether a text contains a secret: unchanged, reversed or encoded. */
function holds(text: string, secret: string): boolean {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return encoded.slice(shift + 1, -4);
  });
  const forms = [secret, [...secret].reverse().join(''), bytes.toString('hex'), ...base64];
  return forms.some((form) => text.toLowerCase().includes(form.toLowerCase()));
}

/** Returns core dumps in the working directories of guests and hosts: a crash may leave them. */
async function coreDumps(): Promise<string[]> {
  const folders = ['/', process.cwd()];
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
  );
  return names.flat().filter((path) => /\/(core|qemu)(\.|_|$)/.test(path));
}

async function tree(root: string, folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    paths.push(`${relative(root, path)}${found?.isSymbolicLink() ? ' -> link' : ''}`);
    if (found?.isDirectory() && !RECORDS.test(relative(root, path))) paths.push(...(await tree(root, path)));
  }
  return paths.sort();
}

/** Returns the attacker's files. Links are not followed: a link alone reads nothing. */
async function contents(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) texts.push(name, ...(await contents(path)));
    else if (found?.isFile() && found.size < 1_000_000) texts.push(name, await readFile(path, 'latin1'));
  }
  return texts;
}
