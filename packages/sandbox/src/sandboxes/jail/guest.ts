import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../../languages/language.ts';
import { GUEST_FOLDER } from '../guest-folder.ts';
import { type Bind, findNode, findPython, type Interpreter } from './interpreter.ts';

/** The content and the command of a jail, for one guest language. */
export interface JailGuest {
  readonly language: Program['guest'];
  readonly binds: readonly Bind[];
  /** Files to copy into the jail: the user of the jail may not be able to read the originals. */
  readonly files: readonly Bind[];
  /** Program and arguments; the channel is descriptor 3. */
  readonly command: (memoryBytes: number) => readonly string[];
  /** All variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Bytes of memory in use by the interpreter, in addition to the guest's, as the kernel counts them. */
  readonly baseBytes: number;
  /** Bytes of reserved data of the interpreter, mostly stacks of threads and V8's range for compiled code. */
  readonly baseDataBytes: number;
  /** Size and number of files of `/tmp` and `/workspace` together. Without it, the jail has no writable folder. */
  readonly scratch?: { readonly bytes: number; readonly files: number };
}

const MIB = 1024 * 1024;
/** The usual files of a workspace, and 64 MiB for `/tmp`. The host enforces the limits of the workspace itself. */
const WRITABLE_BYTES = 320 * MIB;
const WRITABLE_FILES = 24_000;
const INSIDE = '/toolwright/guest';
const CHANNEL = '3';
/** The folder of packages in the jail. `guest/python/packages.py` has it too. */
export const PYTHON_PACKAGES = '/toolwright/packages';
/** Each thread of a numeric library reserves memory, and a program has one processor. */
const PACKAGE_ENVIRONMENT = { OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };

/** Returns the jail for JavaScript: Node, its libraries and the guest runtime. */
export async function javascriptGuest(): Promise<JailGuest> {
  return javascriptJail(await findNode());
}

/**
 * Returns the jail for Python: CPython, its standard library and the guest runtime. `packages` is the folder of a layer with packages,
 * which the user of the jail can read.
 */
export async function pythonGuest(packages?: string): Promise<JailGuest> {
  return pythonJail(await findPython({ hasPackages: packages !== undefined }), packages);
}

function javascriptJail(node: Interpreter): JailGuest {
  return {
    language: 'javascript',
    binds: node.binds,
    files: [
      ...guestFiles('', /^(node|clock|computations|frames|modules)\.cjs$/),
      ...guestFiles('javascript', /\.js$/),
      ...['api', 'computed', 'kept', 'locale', 'web'].flatMap((part) => guestFiles(`javascript/${part}`, /\.js$/)),
      // Node itself has the others.
      ...guestFiles('javascript/node', /^(crypto|os|path|querystring|readline|timers|url|zlib)\.js$/),
      ...guestFiles('javascript/node/fs', /^(fs|promises)\.js$/),
      ...guestFiles('javascript/node/timers', /\.js$/),
    ],
    command: (memoryBytes) => [
      node.path,
      '--experimental-vm-modules',
      '--no-warnings',
      `--max-old-space-size=${Math.ceil(memoryBytes / MIB)}`,
      `${INSIDE}/node.cjs`,
      CHANNEL,
      CHANNEL,
    ],
    baseBytes: 64 * MIB,
    baseDataBytes: 128 * MIB + node.reservedBytes,
  };
}

function pythonJail(python: Interpreter, packages: string | undefined): JailGuest {
  const layer = packages === undefined ? [] : [{ source: packages, target: PYTHON_PACKAGES }];
  return {
    language: 'python',
    binds: [...python.binds, ...layer],
    files: guestFiles('python', /\.py$/, true),
    command: () => [python.path, '-s', '-S', '-B', `${INSIDE}/python/main.py`, CHANNEL, CHANNEL],
    // A replay must iterate over sets in the same order.
    environment: { PYTHONHASHSEED: '0', ...(packages === undefined ? {} : PACKAGE_ENVIRONMENT) },
    baseBytes: (packages === undefined ? 64 : 192) * MIB,
    baseDataBytes: (packages === undefined ? 64 : 192) * MIB,
    scratch: { bytes: WRITABLE_BYTES, files: WRITABLE_FILES },
  };
}

function guestFiles(folder: string, pattern: RegExp, recursive = false): Bind[] {
  return readdirSync(join(GUEST_FOLDER, folder), { recursive, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => ({ source: join(GUEST_FOLDER, folder, name), target: join(INSIDE, folder, name) }));
}
