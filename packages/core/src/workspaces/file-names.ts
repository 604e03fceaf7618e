import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileError } from './paths.ts';

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i;
const MAX_NAME_BYTES = 255;
/** Half of a surrogate pair, which UTF-8 cannot encode. */
const BROKEN = /\p{Surrogate}/u;
/** Changes the direction of the text, so that a name is displayed as another name. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Characters that Windows does not allow; `:` would even name another stream of the same file. */
const WINDOWS_ONLY = /[<>:"|?*]/;

/**
 * Returns the name on the disk for a part of a guest path, in Unicode NFC, so that equal names are one file. Raises
 * `FILE_ERROR` for a name with another meaning on some system. All systems apply the same rules, so that a workspace can be
 * moved to another one.
 */
export function diskName(part: string): string {
  const name = part.normalize('NFC');
  if (DEVICE.test(name)) throw fileError('EINVAL', `${JSON.stringify(name)} is the name of a device on some systems.`);
  if (/[. ]$/.test(name)) throw fileError('EINVAL', 'A file name must not end with a dot or a space.');
  if (BROKEN.test(name) || BIDI.test(name) || name.replace(INVISIBLE, '') === '') {
    throw fileError(
      'EINVAL',
      'A file name must not contain invisible characters, text direction marks or half surrogate pairs.',
    );
  }
  if (process.platform === 'win32' && WINDOWS_ONLY.test(name)) {
    throw fileError('EINVAL', 'A file name must not contain <>:"|?* on this system.');
  }
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw fileError('ENAMETOOLONG', `A file name can have at most ${MAX_NAME_BYTES} bytes.`);
  }
  return name;
}

/**
 * Returns the same text for names that some disk or some reader takes for the same name. They differ in case, width,
 * ligatures or invisible characters only. Letters of different scripts stay different.
 */
export function foldName(name: string): string {
  // Upper case first: only then do ß and ẞ, ſ and s, ς and σ become equal.
  return name.normalize('NFKC').replace(INVISIBLE, '').toUpperCase().toLowerCase().normalize('NFKC');
}

interface KnownFolder {
  changedNs: bigint;
  /** Names by their folded form. */
  readonly names: Map<string, string>;
}

/** Maximum number of folders whose names are cached. */
const MAX_FOLDERS = 64;

/** Caches the names in folders, so that creating a file does not list the folder. */
export interface NameIndex {
  /** Returns for each name the name in the folder with the same folded form, if there is one. */
  twins(key: string, folder: string, names: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Adds names to the cache. Call it after they were created in the folder. */
  add(key: string, folder: string, names: readonly string[]): Promise<void>;
}

/** Creates an index. `key` is a folder's guest path. The modification time of a folder shows changes by other processes. */
export function createNameIndex(): NameIndex {
  const folders = new Map<string, KnownFolder>();
  const read = async (key: string, folder: string): Promise<KnownFolder> => {
    const changedNs = changeOf(folder);
    const known = folders.get(key);
    if (known?.changedNs === changedNs) return known;
    const names = new Map((await readdir(folder)).map((name) => [foldName(name), name]));
    if (folders.size >= MAX_FOLDERS) folders.clear();
    const fresh = { changedNs, names };
    folders.set(key, fresh);
    return fresh;
  };
  return {
    async twins(key, folder, names) {
      const known = await read(key, folder);
      return names.map((name) => known.names.get(foldName(name)));
    },
    async add(key, folder, names) {
      const known = folders.get(key);
      if (!known) return;
      for (const name of names) known.names.set(foldName(name), name);
      known.changedNs = changeOf(folder);
    },
  };
}

/** A look that waits for no thread: this is asked twice for each new file. */
function changeOf(folder: string): bigint {
  return statSync(folder, { bigint: true }).mtimeNs;
}
