import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ToolwrightError } from '@toolwright/core/errors';
import { isObject } from '../json.ts';
import { type PackageContent, readPackage } from './packages.ts';
import { byVersion } from './version.ts';

const run = promisify(execFile);
/** Timeout of one npm command in milliseconds; the largest package has 8 MB. */
const NPM_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Older releases that are tried when the newest one is not complete. */
const MAX_OLDER = 20;

/** The packages of n8n's own nodes. */
export const NODE_PACKAGES: readonly string[] = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

/** A release of n8n with the packages of its nodes. */
export interface Download {
  readonly version: string;
  readonly packages: readonly PackageContent[];
  /** Newer releases whose packages the registry does not have. */
  readonly incomplete: readonly string[];
}

/** A release of n8n, and the versions of its node packages. */
interface Release {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** Raised when the registry lacks a package of a release. */
class IncompleteError extends Error {
  readonly failure: unknown;

  constructor(failure: unknown) {
    super('incomplete');
    this.failure = failure;
  }
}

/**
 * Downloads n8n's node packages with npm, from the registry of npm's configuration, and reads them. npm installs nothing and
 * runs no script. `wanted` is a version, the start of one (`2.8`) or a tag. Without an exact version, the newest release whose
 * packages are complete counts. Raises `UPSTREAM_UNAVAILABLE` with npm's message.
 */
export async function downloadPackages(wanted: string): Promise<Download> {
  if (!/^[\w.-]+$/.test(wanted)) {
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `"${wanted}" is not a version of n8n. Use a version such as 2.8.4, or latest.`,
    );
  }
  const newest = await releaseOf(wanted);
  const incomplete: string[] = [];
  let failure: unknown;
  for await (const release of candidates(newest, wanted)) {
    try {
      return { version: release.version, packages: await packagesOf(release), incomplete };
    } catch (error) {
      if (!(error instanceof IncompleteError)) throw error;
      failure ??= error.failure;
      incomplete.push(release.version);
    }
  }
  throw failure;
}

/** Returns the newest release, then the older ones that are wanted too, newest first. */
async function* candidates(newest: Release, wanted: string): AsyncGenerator<Release> {
  yield newest;
  if (/^\d+\.\d+\.\d+/.test(wanted)) return;
  const all: unknown = JSON.parse(await npm(['view', 'n8n', 'versions', '--json']));
  const isWanted = (version: string): boolean => !/^\d/.test(wanted) || version.startsWith(`${wanted}.`);
  const older = (Array.isArray(all) ? all : [all])
    .map(String)
    .filter((version) => !version.includes('-') && isWanted(version) && byVersion(version, newest.version) < 0)
    .sort((a, b) => byVersion(b, a));
  for (const version of older.slice(0, MAX_OLDER)) yield await releaseOf(version);
}

async function releaseOf(wanted: string): Promise<Release> {
  const described: unknown = JSON.parse(await npm(['view', `n8n@${wanted}`, 'version', 'dependencies', '--json']));
  const releases = (Array.isArray(described) ? described : [described]).filter(isObject);
  // npm lists them in the order of their publication.
  const newest = releases.sort((a, b) => byVersion(String(a.version), String(b.version))).at(-1);
  const dependencies = isObject(newest?.dependencies) ? newest.dependencies : {};
  return { version: newest === undefined ? wanted : String(newest.version), dependencies };
}

async function packagesOf({ version, dependencies }: Release): Promise<PackageContent[]> {
  const wanted = NODE_PACKAGES.map((name) => `${name}@${dependencies[name] ?? version}`);
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-n8n-'));
  try {
    // Asking first saves the download of one package when the other is missing.
    await Promise.all(wanted.map((name) => npm(['view', name, 'version', '--json'])));
    await Promise.all(wanted.map((name) => npm(['pack', name, '--pack-destination', folder, '--ignore-scripts'])));
    const packages: PackageContent[] = [];
    for (const file of await readdir(folder)) packages.push(await readPackage(join(folder, file)));
    return packages;
  } catch (error) {
    throw isIncomplete(error) ? new IncompleteError(error) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns whether a package is missing or unusable. An unreachable registry is another problem. */
function isIncomplete(error: unknown): boolean {
  if (!(error instanceof ToolwrightError)) return false;
  return error.code === 'CONFIG_INVALID' || /\b(E404|ETARGET|EINTEGRITY)\b/.test(error.message);
}

async function npm(args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('npm', args, {
      cwd: tmpdir(),
      timeout: NPM_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      shell: process.platform === 'win32',
    });
    return stdout;
  } catch (error) {
    const stderr = isObject(error) && typeof error.stderr === 'string' ? error.stderr : String(error);
    const why = stderr
      .split('\n')
      .filter((line) => !/^npm (warn|notice)/i.test(line))
      .join('\n')
      .trim()
      .slice(0, 600);
    const message = `npm ${args.slice(0, 2).join(' ')} failed: ${why} Check npm's registry settings, or use downloaded packages: toolwright n8n sync --from FOLDER`;
    throw new ToolwrightError('UPSTREAM_UNAVAILABLE', message, { cause: error });
  }
}
