import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, type PythonFacts, pythonFacts } from '../sandboxes/jail/interpreter.ts';
import type { LockedLanguage, LockedPackage } from './lock.ts';
import { pythonName, readRequest } from './requests.ts';
import { invalidPackages, lastWords, type PackageSources, runTool } from './run-tool.ts';

/** The part of pip's report (https://pip.pypa.io/en/stable/reference/installation-report) that is read. */
interface Report {
  readonly install: readonly {
    readonly download_info: { readonly url: string; readonly archive_info?: { readonly hashes?: { sha256?: string } } };
    readonly metadata: {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
      readonly license_expression?: string;
      readonly classifier?: readonly string[];
    };
  }[];
}

/** Pyodide has those without compiled code. */
const SANDBOXES = ['jail', 'docker', 'microsandbox', 'kubernetes'];
const WHEELS_ONLY = ['--only-binary', ':all:'];
const QUIET = ['--no-input', '--disable-pip-version-check', '-q'];
const MAX_LICENSE_CHARACTERS = 60;
/** Bytes of the files in all wheels of a layer. */
const MAX_UNPACKED_BYTES = 4 * 1024 ** 3;
/** Prints the bytes that each wheel unpacks to. An archive unpacks to no more than it announces. */
const UNPACKED_SIZES = `
import json, sys, zipfile
print(json.dumps({wheel: sum(each.file_size for each in zipfile.ZipFile(wheel).infolist()) for wheel in sys.argv[1:]}))`;
const MAX_SHOWN_VERSIONS = 10;

function targetOf({ version: [major, minor] }: PythonFacts): string {
  return `cp${major}${minor}-${process.platform}-${process.arch}`;
}

/**
 * Resolves requests with pip to wheels with hashes. Builds nothing and runs no code of a package. `keep` are the versions of the
 * last lock, which stay if they fit. Raises `CONFIG_INVALID` for an unknown name, a package without a wheel, and versions that
 * exclude each other.
 */
export async function resolvePython(
  requested: readonly string[],
  {
    folder,
    sources,
    keep,
  }: { readonly folder: string; readonly sources: PackageSources; readonly keep: readonly LockedPackage[] },
): Promise<LockedLanguage> {
  const facts = await pythonFacts();
  const constraints = join(folder, 'constraints.txt');
  await writeFile(constraints, keep.map(({ name, version }) => `${name}==${version}\n`).join(''));
  const resolving = ['--dry-run', '--ignore-installed', '--report', '-', '-c', constraints];
  let text: string;
  try {
    text = await pip(facts, ['install', ...resolving, ...WHEELS_ONLY, ...placesOf(sources), ...requested], folder);
  } catch (error) {
    if (keep.length > 0) return resolvePython(requested, { folder, sources, keep: [] });
    throw await unresolved(error, { facts, folder, sources });
  }
  const { install }: Report = JSON.parse(text);
  const packages = await Promise.all(install.map(lockedWheel));
  return {
    requested,
    target: targetOf(facts),
    sandboxes: SANDBOXES,
    packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

async function lockedWheel({ download_info, metadata }: Report['install'][number]): Promise<LockedPackage> {
  const url = new URL(download_info.url);
  const file = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
  if (!file.endsWith('.whl')) throw noWheel(metadata.name);
  // Older versions of pip report no hash for a file of a folder.
  const isLocal = url.protocol === 'file:';
  const sha256 =
    download_info.archive_info?.hashes?.sha256 ?? (isLocal ? await sha256Of(fileURLToPath(url)) : undefined);
  if (sha256 === undefined) throw invalidPackages(`The index has no hash for ${file}. It is refused.`);
  const license = licenseOf(metadata);
  const { name, version } = metadata;
  return { name: pythonName(name), version, ...(license && { license }), hash: `sha256:${sha256}`, file };
}

async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** Loads the wheels of a lock into a folder. Returns their paths. Raises `CONFIG_INVALID` for a wheel with another hash. */
export async function loadWheels(
  { packages, target }: LockedLanguage,
  { folder, sources }: { readonly folder: string; readonly sources: PackageSources },
): Promise<readonly string[]> {
  const facts = await pythonFacts();
  if (target !== targetOf(facts)) {
    const message = `The lock has Python packages for ${target}, but the Python of this machine is ${targetOf(facts)}. Run: toolwright packages sync --upgrade`;
    throw invalidPackages(message);
  }
  const list = join(folder, 'wheels.txt');
  await writeFile(list, packages.map(({ name, version, hash }) => `${name}==${version} --hash=${hash}\n`).join(''));
  const options = ['--no-deps', '--require-hashes', '-d', folder, '-r', list];
  try {
    await pip(facts, ['download', ...options, ...WHEELS_ONLY, ...placesOf(sources)], folder);
  } catch (error) {
    const words = lastWords(error);
    if (/do not match the hashes/i.test(`${(error as { stderr?: string }).stderr}`)) throw wrongHash(words, error);
    throw invalidPackages(`The wheels of the lock cannot be loaded: ${words}`, error);
  }
  return Promise.all(
    packages.map(async ({ name, file = '', hash }) => {
      const path = join(folder, file);
      const found = await sha256Of(path).then(
        (hash256) => `sha256:${hash256}`,
        () => undefined,
      );
      if (found !== hash) throw wrongHash(`${name}: the lock has ${hash}, ${file} has ${found ?? 'not been loaded'}`);
      return path;
    }),
  );
}

/** Unpacks wheels into a folder. No code of them runs. Raises `CONFIG_INVALID` for wheels that would fill the disk. */
export async function unpackWheels(wheels: readonly string[], target: string, folder: string): Promise<PythonFacts> {
  const facts = await pythonFacts();
  const sizes: Readonly<Record<string, number>> = JSON.parse(
    await runTool(facts.executable, ['-I', '-c', UNPACKED_SIZES, ...wheels], { cwd: folder }),
  );
  const [largest, bytes] = Object.entries(sizes).sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
  const total = Object.values(sizes).reduce((sum, each) => sum + each, 0);
  if (total > MAX_UNPACKED_BYTES) {
    throw invalidPackages(
      `The wheels have ${total} bytes unpacked, and the limit is ${MAX_UNPACKED_BYTES}. ${basename(largest)} alone has ${bytes}: remove it.`,
    );
  }
  await pip(facts, ['install', '--no-deps', '--no-index', '--no-compile', '--target', target, ...wheels], folder);
  return facts;
}

/** Runs pip for the Python of the jail: its own one, else that of the user with `--python`. */
async function pip({ executable }: PythonFacts, args: readonly string[], cwd: string): Promise<string> {
  const [command = '', ...options] = args;
  const words = [command, ...QUIET, ...options];
  try {
    return await runTool(executable, ['-I', '-m', 'pip', ...words], { cwd });
  } catch (error) {
    if (!/No module named pip/.test(`${(error as { stderr?: string }).stderr}`)) throw error;
  }
  const other = findProgram('pip3');
  if (other === undefined) {
    throw invalidPackages(
      'pip is not installed, which loads Python packages. On Debian and Ubuntu: apt-get install python3-pip',
    );
  }
  return runTool(other, ['--python', executable, ...words], { cwd });
}

function placesOf({ index, mirror }: PackageSources): string[] {
  if (mirror !== undefined) return ['--no-index', '--find-links', mirror];
  return index === undefined ? [] : ['--index-url', index];
}

interface Failed {
  readonly facts: PythonFacts;
  readonly folder: string;
  readonly sources: PackageSources;
}

/** Returns the error for requests that pip cannot resolve. */
async function unresolved(error: unknown, { facts, folder, sources }: Failed) {
  const output = `${(error as { stderr?: string }).stderr ?? ''}`;
  if (/conflicting dependencies|ResolutionImpossible/.test(output)) {
    const asked = [...output.matchAll(/^\s+(The user requested .*|\S+ \S+ depends on .*)$/gm)].map(([, line]) => line);
    const why = asked.length > 0 ? asked.slice(0, MAX_SHOWN_VERSIONS).join('; ') : lastWords(error);
    return invalidPackages(`These Python packages exclude each other: ${why}. Request other versions.`, error);
  }
  const missing = /No matching distribution found for (\S+)/.exec(output)?.[1];
  if (missing === undefined)
    return invalidPackages(`pip cannot resolve the Python packages: ${lastWords(error)}`, error);
  const { name } = readRequest('python', missing.replace(/;.*$/, ''));
  const wheels = /\(from versions: ([^)]*)\)/.exec(output)?.[1] ?? 'none';
  if (wheels !== 'none') {
    const known = wheels.split(', ').slice(-MAX_SHOWN_VERSIONS).join(', ');
    return invalidPackages(
      `There is no wheel of ${missing} for ${targetOf(facts)}. Versions with a wheel: ${known}.`,
      error,
    );
  }
  const isKnown = await pip(facts, ['index', 'versions', name, '--pre', ...placesOf(sources)], folder).then(
    () => true,
    () => false,
  );
  if (isKnown) return noWheel(name, error);
  const where = sources.mirror ?? sources.index ?? 'the package index of pip';
  return invalidPackages(`There is no Python package "${name}" in ${where}. Check its name.`, error);
}

function noWheel(name: string, cause?: unknown) {
  const message = `${name} has only a source distribution, which would run its code on this machine. Choose a version or a package with wheels.`;
  return invalidPackages(message, cause);
}

function wrongHash(words: string, cause?: unknown) {
  return invalidPackages(`A wheel has another hash than toolwright.lock: ${words}. Nothing was changed.`, cause);
}

function licenseOf({
  license_expression,
  license,
  classifier = [],
}: Report['install'][number]['metadata']): string | undefined {
  const classified = classifier
    .find((each) => each.startsWith('License :: '))
    ?.split(' :: ')
    .at(-1);
  const text = license_expression ?? classified ?? license?.trim().split('\n')[0];
  return text ? text.slice(0, MAX_LICENSE_CHARACTERS) : undefined;
}
