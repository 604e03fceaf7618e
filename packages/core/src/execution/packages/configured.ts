import { join, resolve } from 'node:path';
import { allRequests, type PackageLock, type PackageRequests, type PackageSources } from '@toolwright/sandbox/packages';
import type { ToolwrightConfig } from '../../config/config.ts';
import { lockFileOf } from './lock-file.ts';

/** The settings of packages in a configuration, and its folders. */
export interface PackagesConfig {
  readonly packages: ToolwrightConfig['packages'];
  readonly file: string;
  readonly folder: string;
  readonly dataDir: string;
}

/** Any user may read this folder. The folders of root are closed for the user of a jail. */
const FOLDER_OF_ROOT = '/var/cache/toolwright/packages';

/** Returns all requests of a configuration, those of its presets included. Raises `CONFIG_INVALID`. */
export function packageRequests({ packages: { python, typescript, presets } }: PackagesConfig): PackageRequests {
  return { python: allRequests('python', python, presets), typescript: allRequests('typescript', typescript, presets) };
}

/** Returns the places from which packages are loaded. */
export function packageSources({ packages: { index, registry, mirror }, folder }: PackagesConfig): PackageSources {
  return { index, registry, mirror: mirror === undefined ? undefined : resolve(folder, mirror) };
}

/** Returns the folder of the layers. */
export function packagesFolder({ packages, folder, dataDir }: PackagesConfig): string {
  if (packages.folder !== undefined) return resolve(folder, packages.folder);
  return process.getuid?.() === 0 ? FOLDER_OF_ROOT : join(dataDir, 'packages');
}

/** Returns why a lock does not belong to a configuration; undefined if it does. */
export function lockProblem(config: PackagesConfig, lock: PackageLock): string | undefined {
  const requests = packageRequests(config);
  for (const language of ['python', 'typescript'] as const) {
    const [wanted, locked] = [requests[language], lock[language]?.requested ?? []].map((list) =>
      [...list].sort().join(' '),
    );
    if (wanted === locked) continue;
    return `The packages of ${config.file} are not those of ${lockFileOf(config.file)}. Run: toolwright packages sync`;
  }
  return undefined;
}
