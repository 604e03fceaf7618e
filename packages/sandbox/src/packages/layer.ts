import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { invalidPackages } from './run-tool.ts';

/** The description of a layer, in its folder. */
export interface LayerManifest {
  /** Hash of all files of the content. */
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
}

/** The folder of a layer's content, next to its manifest. */
const CONTENT = 'content';
const MANIFEST = 'layer.json';
/** Others may read a layer: the user of a jail is another one. It contains nothing but published packages. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o444;
const OTHERS_MAY_PASS = 0o001;

/**
 * Checks that the user of a jail, who is another one if this process is root, can reach a folder. Raises `CONFIG_INVALID` with the
 * closed folder.
 */
export async function requireReachable(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (let path = resolve(folder); path !== '/'; path = dirname(path)) {
    const stat = await lstat(path).catch(() => undefined);
    if (stat === undefined || stat.mode & OTHERS_MAY_PASS) continue;
    const fix = 'Set packages.folder to a folder that all users can read';
    throw invalidPackages(`The user of a jail cannot read ${folder}, because ${path} is closed to others. ${fix}.`);
  }
}

/** Returns the folder with the content of a layer. */
export function layerContent(folder: string, name: string): string {
  return join(folder, name, CONTENT);
}

/** Returns the manifest of a layer; undefined if there is no such layer. */
export async function readManifest(folder: string, name: string): Promise<LayerManifest | undefined> {
  const text = await readFile(join(folder, name, MANIFEST), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/**
 * Builds a layer, unless it exists. `build` writes its content into an empty folder. The layer appears with all of its files, or not
 * at all. Two processes may build the same one: the first wins.
 */
export async function buildLayer(
  folder: string,
  name: string,
  build: (content: string) => Promise<void>,
): Promise<void> {
  if ((await readManifest(folder, name)) !== undefined) return;
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const staged = join(folder, `.${name}-${randomBytes(6).toString('hex')}`);
  const content = join(staged, CONTENT);
  try {
    await mkdir(content, { recursive: true });
    for (const each of [staged, content]) await chmod(each, FOLDER_MODE);
    await build(content);
    await restrict(staged);
    const manifest = await measure(content);
    await writeFile(join(staged, MANIFEST), JSON.stringify(manifest), { mode: FILE_MODE });
    // A folder without a manifest is damaged.
    await rm(join(folder, name), { recursive: true, force: true });
    await rename(staged, join(folder, name));
  } catch (error) {
    if ((await readManifest(folder, name)) === undefined) throw error;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** Compares the files of a layer with its manifest. Raises `CONFIG_INVALID` for a missing or changed layer. */
export async function checkLayer(folder: string, name: string): Promise<LayerManifest> {
  const manifest = await readManifest(folder, name);
  if (manifest === undefined)
    throw invalidPackages(`The layer ${name} of the packages is not built. Run: toolwright packages sync`);
  const { digest } = await measure(layerContent(folder, name));
  if (digest === manifest.digest) return manifest;
  const path = join(folder, name);
  throw invalidPackages(`The files of ${path} have changed since they were built. Run: toolwright packages sync`);
}

/** Removes a layer, so that it is built again. */
export async function removeLayer(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { recursive: true, force: true });
}

async function filesOf(folder: string, inner = ''): Promise<string[]> {
  const entries = await readdir(join(folder, inner), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesOf(folder, path)));
    else found.push(path);
  }
  return found;
}

async function measure(folder: string): Promise<LayerManifest> {
  const files = (await filesOf(folder)).sort();
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of files) {
    const content = await readFile(join(folder, file));
    bytes += content.length;
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return { digest: hash.digest('hex'), files: files.length, bytes };
}

/** Makes all files read-only. Raises `CONFIG_INVALID` for anything but files and folders: a link could lead out of the layer. */
async function restrict(folder: string): Promise<void> {
  await chmod(folder, FOLDER_MODE);
  for (const { name } of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, name);
    const stat = await lstat(path);
    if (stat.isDirectory()) await restrict(path);
    else if (stat.isFile()) await chmod(path, FILE_MODE);
    else throw invalidPackages(`A package contains ${name}, which is neither a file nor a folder. It is refused.`);
  }
}
