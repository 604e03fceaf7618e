import { readdir, stat } from 'node:fs/promises';
import { fileError } from './paths.ts';

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i;
const MAX_NAME_BYTES = 255;
/** Not written as UTF-8 as it is: half of a pair. */
const BROKEN = /\p{Surrogate}/u;
/** Turns the order of what is read, so that a name shows as another one. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** What no disk of Windows takes; `:` would even name another stream of the same file. */
const WINDOWS_ONLY = /[<>:"|?*]/;

/**
 * The name under which a part of a guest path lies on the disk: in NFC, so that one way to write it is one file. Raises
 * `FILE_ERROR` for names that some disk takes for something else, on every system, so that a workspace can be moved.
 */
export function diskName(part: string): string {
  const name = part.normalize('NFC');
  if (DEVICE.test(name)) throw fileError('EINVAL', `${JSON.stringify(name)} is the name of a device on some systems.`);
  if (/[. ]$/.test(name)) throw fileError('EINVAL', 'A file name does not end with a dot or a space.');
  if (BROKEN.test(name) || BIDI.test(name) || name.replace(INVISIBLE, '') === '') {
    throw fileError('EINVAL', 'A file name holds no half characters, and none that hide or turn others.');
  }
  if (process.platform === 'win32' && WINDOWS_ONLY.test(name)) {
    throw fileError('EINVAL', 'A file name holds none of <>:"|?* on this system.');
  }
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw fileError('ENAMETOOLONG', `A file name has at most ${MAX_NAME_BYTES} bytes.`);
  }
  return name;
}

/**
 * What two names have in common that some disk or some eye takes for the same: upper and lower case, full and half
 * width, ligatures, characters that are not seen. Letters of different scripts stay different.
 */
export function foldName(name: string): string {
  // Upper case first: ß and ẞ, ſ and s, ς and σ only meet there.
  return name.normalize('NFKC').replace(INVISIBLE, '').toUpperCase().toLowerCase().normalize('NFKC');
}

interface KnownFolder {
  changedNs: bigint;
  /** Names by what they fold to. */
  readonly names: Map<string, string>;
}

/** Folders whose names are kept. */
const MAX_FOLDERS = 64;

/** Remembers the names in folders, so that each new file does not list all others. */
export interface NameIndex {
  /** A name in the folder that folds to the same as `name`, when there is one. */
  twin(key: string, folder: string, name: string): Promise<string | undefined>;
  /** Call it after `name` was made in the folder. */
  add(key: string, folder: string, name: string): Promise<void>;
}

/** Makes an index; `key` is a folder's guest path. A change by another process shows in the time of the folder. */
export function createNameIndex(): NameIndex {
  const folders = new Map<string, KnownFolder>();
  const read = async (key: string, folder: string): Promise<KnownFolder> => {
    const changedNs = await changeOf(folder);
    const known = folders.get(key);
    if (known?.changedNs === changedNs) return known;
    const names = new Map((await readdir(folder)).map((name) => [foldName(name), name]));
    if (folders.size >= MAX_FOLDERS) folders.clear();
    const fresh = { changedNs, names };
    folders.set(key, fresh);
    return fresh;
  };
  return {
    twin: async (key, folder, name) => (await read(key, folder)).names.get(foldName(name)),
    async add(key, folder, name) {
      const known = folders.get(key);
      known?.names.set(foldName(name), name);
      if (known) known.changedNs = await changeOf(folder);
    },
  };
}

async function changeOf(folder: string): Promise<bigint> {
  return (await stat(folder, { bigint: true })).mtimeNs;
}
