import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ToolwrightError } from '@toolwright/core/errors';
import { isObject } from '../json.ts';
import { type PackageContent, readPackage } from './packages.ts';

const run = promisify(execFile);
/** Timeout of one npm command in milliseconds; the largest package has 8 MB. */
const NPM_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** The packages of n8n's own nodes. */
export const NODE_PACKAGES: readonly string[] = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

/**
 * Downloads n8n's node packages with npm, from the registry of npm's configuration, and reads them. npm installs nothing and
 * runs no script. Raises `UPSTREAM_UNAVAILABLE` with npm's message.
 */
export async function downloadPackages(version: string): Promise<{ version: string; packages: PackageContent[] }> {
  if (!/^[\w.-]+$/.test(version)) {
    throw new ToolwrightError(
      'CONFIG_INVALID',
      `"${version}" is not a version of n8n. Use a version such as 2.8.4, or latest.`,
    );
  }
  const described: unknown = JSON.parse(await npm(['view', `n8n@${version}`, 'version', 'dependencies', '--json']));
  const newest: unknown = Array.isArray(described) ? described.at(-1) : described;
  const exact = isObject(newest) ? String(newest.version) : version;
  const dependencies = isObject(newest) && isObject(newest.dependencies) ? newest.dependencies : {};
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-n8n-'));
  try {
    const packages: PackageContent[] = [];
    for (const name of NODE_PACKAGES) {
      await npm(['pack', `${name}@${dependencies[name] ?? exact}`, '--pack-destination', folder, '--ignore-scripts']);
    }
    for (const file of await readdir(folder)) packages.push(await readPackage(join(folder, file)));
    return { version: exact, packages };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
