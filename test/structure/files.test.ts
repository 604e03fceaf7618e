import { describe, expect, it } from 'vitest';
import { PRODUCT, read } from './sources.ts';

/** Functions of `node:fs` that read a file of any kind and size. */
const READS = ['readFile', 'readFileSync', 'createReadStream'];
/** Functions of `node:fs` that create a file or a folder. */
const WRITES = ['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'mkdir', 'mkdirSync'];

/** The files that read without `readRegularFile`, by the reason. */
const READING: Readonly<Record<string, readonly string[]>> = {
  'files of this package, which were installed with it': [
    'packages/core/src/execution/export/python.ts',
    'packages/core/src/execution/export/typescript.ts',
    'packages/n8n/src/plugin.ts',
    'packages/sandbox/src/checkers/typescript/check.ts',
    'packages/sandbox/src/sandboxes/docker/image.ts',
    'packages/sandbox/src/sandboxes/docker/seccomp-profile.ts',
    'packages/sandbox/src/sandboxes/pyodide/snapshot.ts',
    'packages/server/src/dashboard/files.ts',
    'packages/server/src/version.ts',
    'packages/toolwright/src/cli.ts',
    'packages/storage/src/migrations/migrations.ts',
    'packages/vscode/src/panels.ts',
  ],
  'files of the kernel: /proc and /sys': [
    'packages/storage/src/clocks/machine-clock.ts',
    'packages/storage/src/leases/process-name.ts',
    'packages/sandbox/src/processes/processor.ts',
    'packages/sandbox/src/sandboxes/docker/owner.ts',
    'packages/sandbox/src/sandboxes/jail/cgroup/cgroup-mounts.ts',
    'packages/sandbox/src/sandboxes/jail/cgroup/cgroup-orphans.ts',
    'packages/sandbox/src/sandboxes/jail/cgroup/cgroup.ts',
    'packages/sandbox/src/sandboxes/jail/interpreter.ts',
    'packages/sandbox/src/sandboxes/jail/probe.ts',
    'packages/sandbox/src/sandboxes/microsandbox/probe.ts',
  ],
  'the access to a cluster: the kubelet mounts the files, or KUBECONFIG of the operator names them': [
    'packages/sandbox/src/sandboxes/kubernetes/api/find-access.ts',
  ],
  'own files of the data folder, whose owner and mode are checked at the start, or of the cache': [
    'packages/core/src/catalog/inferred-types/file-types.ts',
    'packages/core/src/privacy/cluster-keys.ts',
    'packages/storage/src/data-folder/integrity.ts',
    'packages/storage/src/data-folder/own-files.ts',
    'packages/core/src/journal/storages/file.ts',
    'packages/core/src/sessions/transfer.ts',
    'packages/storage/src/copy/audit-records.ts',
    'packages/core/src/telemetry/health/damaged-files.ts',
    'packages/core/src/workspaces/shared-state.ts',
    'packages/n8n/src/catalogs/index-file.ts',
    'packages/server/src/mcp/instructions/cache.ts',
    'packages/server/src/mcp/instructions/recent-tools.ts',
    'packages/toolwright/src/commands/dashboard/running-server.ts',
    'packages/toolwright/src/commands/init/background-server.ts',
  ],
  'layers of packages, which this machine has built, and artefacts that their hash in the lock names': [
    'packages/sandbox/src/packages/esm-layer.ts',
    'packages/sandbox/src/packages/layer.ts',
    'packages/sandbox/src/packages/mirror.ts',
    'packages/sandbox/src/packages/npm.ts',
    'packages/sandbox/src/packages/packages.ts',
    'packages/sandbox/src/packages/pip.ts',
    'packages/sandbox/src/packages/python-layer.ts',
    'packages/sandbox/src/packages/type-files.ts',
  ],
  'the certificates that NODE_EXTRA_CA_CERTS names, which Node has read': [
    'packages/toolwright/src/commands/doctor/network.ts',
  ],
  'opened without waiting, and found to be a regular file': [
    'packages/core/src/workspaces/changes/bulk-files.ts',
    'packages/core/src/workspaces/changes/changes.ts',
    'packages/core/src/workspaces/versioned/scan.ts',
  ],
  'the notes of a person, which the first server of `init` keeps in its folder': [
    'packages/toolwright/src/notes-server.ts',
  ],
  'streams of a command for one person, which keep no whole file in memory': [
    'packages/n8n/src/catalogs/tarball.ts',
    'packages/toolwright/src/commands/backup/files.ts',
    'packages/toolwright/src/commands/pii/pii.ts',
  ],
};

/** The files that create files or folders with the mode that the system gives, by the reason. */
const WRITING: Readonly<Record<string, readonly string[]>> = {
  'files of the kernel: cgroups': [
    'packages/sandbox/src/processes/processor.ts',
    'packages/sandbox/src/sandboxes/jail/cgroup/cgroup-mounts.ts',
    'packages/sandbox/src/sandboxes/jail/cgroup/cgroup.ts',
  ],
  'public contents: catalogs and templates of n8n': [
    'packages/n8n/src/catalogs/folder.ts',
    'packages/n8n/src/catalogs/index-file.ts',
    'packages/n8n/src/templates/library.ts',
  ],
  'layers of packages: public contents, which the user of a jail must be able to read': [
    'packages/sandbox/src/packages/esm-layer.ts',
    'packages/sandbox/src/packages/layer.ts',
    'packages/sandbox/src/packages/npm.ts',
    'packages/sandbox/src/packages/pip.ts',
    'packages/sandbox/src/packages/python-layer.ts',
    'packages/sandbox/src/packages/type-files.ts',
  ],
  'files that a person asks for, with the umask of that person': [
    'packages/toolwright/src/commands/executions/executions.ts',
    'packages/toolwright/src/commands/init/init.ts',
    'packages/toolwright/src/notes-server.ts',
    'packages/toolwright/src/commands/sessions/files.ts',
    'packages/toolwright/src/commands/resources/resources.ts',
    'packages/toolwright/src/commands/servers/install.ts',
  ],
  'a file that was opened with its mode before': ['packages/core/src/workspaces/versioned/local-copy.ts'],
};

const TYPESCRIPT = PRODUCT.filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !/\/(?:guest|conformance)\//.test(path),
);

/** Returns the names that a text imports from `node:fs`. */
function importedFrom(text: string): Set<string> {
  const lists = [...text.matchAll(/import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g)];
  return new Set(lists.flatMap(([, names = '']) => names.split(',').map((name) => name.trim().replace(/ as .*/, ''))));
}

/** Returns the arguments of each call of a function in a text. */
function callsOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`(?<![.\\w])${name}\\(`, 'g'))].map(({ index, 0: { length } }) => {
    let depth = 1;
    let end = index + length;
    for (; depth > 0 && end < text.length; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
    return text.slice(index + length, end - 1);
  });
}

function looseWrites(text: string): string[] {
  const imported = importedFrom(text);
  return WRITES.filter((name) => imported.has(name))
    .flatMap((name) => callsOf(text, name))
    .filter((args) => !/\bmode\b|, 0o[67]00$/.test(args));
}

describe('files', () => {
  it('that others can exchange are read by readRegularFile', () => {
    const reading = TYPESCRIPT.filter((path) => READS.some((name) => importedFrom(read(path)).has(name)));
    expect(reading.sort()).toEqual(Object.values(READING).flat().sort());
  });

  it('and folders of Toolwright are created for their owner only', () => {
    const writing = TYPESCRIPT.filter((path) => looseWrites(read(path)).length > 0);
    expect(writing.sort()).toEqual(Object.values(WRITING).flat().sort());
  });

  it.each([
    ["import { writeFile } from 'node:fs/promises'; writeFile(path, text);", 1],
    ["import { writeFile } from 'node:fs/promises'; writeFile(path, f(text), { mode: 0o600 });", 0],
    ["import { mkdirSync } from 'node:fs'; mkdirSync(join(a, b), { recursive: true });", 1],
    ["import { mkdir } from 'node:fs/promises'; mkdir(path, 0o700);", 0],
    ["import { open } from 'node:fs/promises'; file.writeFile(text);", 0],
  ])('%s has %i loose writes', (text, count) => {
    expect(looseWrites(text)).toHaveLength(count);
  });
});

describe('package-lock.json', () => {
  const { packages }: { packages: Record<string, Record<string, unknown>> } = JSON.parse(read('package-lock.json'));
  // A package of the repository is a link, and a bundled one is in the archive of another.
  const installed = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && link !== true && inBundle !== true,
  );

  it('has the hash of every package', () => {
    expect(installed.length).toBeGreaterThan(500);
    expect(installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(String(integrity)))).toEqual([]);
  });

  it('names no registry', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
