import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageName } from '../languages/language.ts';
import { buildEsmLayer, MODULES_FILE, type ModuleFiles } from './esm-layer.ts';
import {
  buildLayer,
  checkLayer,
  type LayerManifest,
  layerContent,
  readManifest,
  removeLayer,
  requireReachable,
} from './layer.ts';
import { type LockedLanguage, layerHash, type PackageLock } from './lock.ts';
import { resolveTypescript } from './npm.ts';
import { resolvePython } from './pip.ts';
import { buildPythonLayer } from './python-layer.ts';
import { type PackageRequests, readRequest } from './requests.ts';
import { invalidPackages, type PackageSources } from './run-tool.ts';
import { TYPES_FILE, type TypeFiles, textsOf } from './type-files.ts';

/** Returns the source of a module of the packages; undefined if no package has it. */
export type PackageModules = (specifier: string) => Promise<string | undefined>;

/** Returns the declarations of a module of the packages, by path; undefined if it has none. */
export type PackageTypes = (specifier: string) => Promise<ReadonlyMap<string, string> | undefined>;

/** The layers of a lock, ready for programs. */
export interface OpenPackages {
  /** Folder of the Python packages. */
  readonly python?: string | undefined;
  readonly typescript?: PackageModules | undefined;
  readonly types?: PackageTypes | undefined;
}

/** A module that packages share, as guests ask for it. */
const SHARED_MODULE = /^\/(toolwright-chunk-\w+\.js)$/;
const LANGUAGES: readonly LanguageName[] = ['python', 'typescript'];

/**
 * Resolves requests to a lock. A language whose requests are as in `last` keeps its artefacts, and other requests keep the versions
 * that still fit, unless `isUpgrade`. Nothing is written. Raises `CONFIG_INVALID`.
 */
export async function resolvePackages(
  requests: PackageRequests,
  {
    last,
    sources,
    isUpgrade,
  }: { readonly last: PackageLock; readonly sources: PackageSources; readonly isUpgrade: boolean },
): Promise<PackageLock> {
  const resolve = async (language: LanguageName): Promise<LockedLanguage | undefined> => {
    const requested = requests[language];
    const known = last[language];
    if (requested.length === 0) return undefined;
    if (!isUpgrade && known && isSame(known.requested, requested)) return known;
    // A new request may have another version than the lock.
    const changed = requested.filter((text) => !known?.requested.includes(text));
    const own = new Set(changed.map((text) => readRequest(language, text).name));
    const keep = isUpgrade ? [] : (known?.packages ?? []).filter(({ name }) => !own.has(name));
    const resolver = language === 'python' ? resolvePython : resolveTypescript;
    return inTemporaryFolder((folder) => resolver(requested, { folder, sources, keep }));
  };
  const [python, typescript] = [await resolve('python'), await resolve('typescript')];
  return { format: 1, python, typescript };
}

/** Builds the layers of a lock that `folder` lacks or that have changed. Raises `CONFIG_INVALID` for an artefact with another hash. */
export async function buildPackages(lock: PackageLock, folder: string, sources: PackageSources): Promise<void> {
  for (const name of LANGUAGES) {
    const language = lock[name];
    // Wheels are loaded for the Python of the jail, which needs Linux.
    if (language === undefined || (name === 'python' && process.platform !== 'linux')) continue;
    const hash = layerHash(language);
    const isWhole = await checkLayer(folder, hash).then(
      () => true,
      () => false,
    );
    if (name === 'python') await requireReachable(folder);
    if (isWhole) continue;
    await removeLayer(folder, hash);
    const build = name === 'python' ? buildPythonLayer : buildEsmLayer;
    await inTemporaryFolder((work) =>
      buildLayer(folder, hash, (content) => build(language, { content, folder: work, sources })),
    );
  }
}

/** Opens the layers of a lock. Raises `CONFIG_INVALID` if one is not built. */
export async function openPackages({ python, typescript }: PackageLock, folder: string): Promise<OpenPackages> {
  const contentOf = async (language: LockedLanguage): Promise<string> => {
    const hash = layerHash(language);
    if ((await readManifest(folder, hash)) !== undefined) return layerContent(folder, hash);
    throw invalidPackages(`The packages of toolwright.lock are not built in ${folder}. Run: toolwright packages sync`);
  };
  if (python && process.platform === 'linux') await requireReachable(folder);
  const scripts = typescript && (await contentOf(typescript));
  return {
    ...(python && process.platform === 'linux' && { python: await contentOf(python) }),
    ...(scripts !== undefined && { typescript: await modulesOf(scripts), types: typesOf(scripts) }),
  };
}

/** Compares the layers of a lock with their hashes. Raises `CONFIG_INVALID` for a missing or changed one. */
export async function checkPackages(
  lock: PackageLock,
  folder: string,
): Promise<Partial<Record<LanguageName, LayerManifest>>> {
  const found: Partial<Record<LanguageName, LayerManifest>> = {};
  for (const name of LANGUAGES) {
    const language = lock[name];
    if (language === undefined || (name === 'python' && process.platform !== 'linux')) continue;
    found[name] = await checkLayer(folder, layerHash(language));
  }
  return found;
}

async function modulesOf(content: string): Promise<PackageModules> {
  const files: ModuleFiles = JSON.parse(await readFile(join(content, MODULES_FILE), 'utf8'));
  return async (specifier) => {
    const file = Object.hasOwn(files, specifier) ? files[specifier] : SHARED_MODULE.exec(specifier)?.[1];
    if (file === undefined) return undefined;
    return readFile(join(content, file), 'utf8').catch(() => undefined);
  };
}

/** The types are read at the first check that needs them. */
function typesOf(content: string): PackageTypes {
  let files: Promise<TypeFiles> | undefined;
  return async (specifier) => {
    files ??= readFile(join(content, TYPES_FILE), 'utf8').then(JSON.parse);
    return textsOf(await files, specifier);
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwright-packages-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
