import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SandboxError } from '../../errors.ts';
import { descriptorShortage, isDescriptorShortage } from '../../processes/descriptors.ts';
import { runProgram } from '../../processes/start-process.ts';

/** A file or folder of the host that a jail contains, read-only. */
export interface Bind {
  readonly source: string;
  /** Its path inside of the jail. */
  readonly target: string;
}

/** An interpreter with all the files that it needs. */
export interface Interpreter {
  /** Path of the program inside of the jail. */
  readonly path: string;
  readonly binds: readonly Bind[];
  /** Bytes of data that it reserves at its start and cannot use for anything else. */
  readonly reservedBytes: number;
  /** Name and version, for people. */
  readonly text: string;
}

const OWN_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const LIBRARY_LINE = /^\s*(?:(\S+) => )?(\/\S+) \(0x/gm;
/** A private mapping of no file that is readable, writable and executable. */
const CODE_RANGE_LINE = /^([\da-f]+)-([\da-f]+) rwxp \S+ \S+ 0\s*$/gm;
const ASK_TIMEOUT_MS = 10_000;
const ASK_PYTHON = `
import glob, json, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({
    "executable": sys.executable, "version": sys.version_info[:3], "stdlib": paths["stdlib"], "libdir": sys.platlibdir,
    "extensions": glob.glob(paths["platstdlib"] + "/lib-dynload/*.so"),
}))`;
const MIN_PYTHON_MINOR = 10;
const INSTALL_PYTHON = `install Python 3.${MIN_PYTHON_MINOR} or newer, on Debian and Ubuntu with: apt-get install python3`;
/** The libraries of PEP 600 that wheels do not contain, without those of graphical programs. */
const WHEEL_LIBRARIES =
  'libstdc++.so.6 libgcc_s.so.1 libm.so.6 libz.so.1 libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1 libexpat.so.1'.split(
    ' ',
  );
const ZONES = '/usr/share/zoneinfo';

/** A CPython of the system. */
export interface PythonFacts {
  readonly executable: string;
  readonly version: readonly [number, number, number];
  readonly stdlib: string;
  readonly libdir: string;
  readonly extensions: readonly string[];
}

/** An error of a program that ended with a code, was killed, or did not start. */
type RunError = NodeJS.ErrnoException & { readonly stdout?: string; readonly killed?: boolean };

/** Runs a program. Raises `BUSY` if the machine lacks descriptors, processes, memory or time for it. */
async function ask(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await runProgram(program, args, { timeout: ASK_TIMEOUT_MS, env })).stdout;
  } catch (error) {
    const { code, killed = false } = error as RunError;
    if (isDescriptorShortage(error)) throw descriptorShortage(error);
    if (!killed && code !== 'EAGAIN' && code !== 'ENOMEM') throw error;
    const problem = killed ? `it did not end within ${ASK_TIMEOUT_MS / 1_000} s` : code;
    throw new SandboxError('BUSY', `The machine is too busy to run ${program}: ${problem}. Try again in some seconds.`);
  }
}

/** Returns the output of a program, also of one that failed. Raises `BUSY` as {@link ask} does. */
async function outputOf(...question: Parameters<typeof ask>): Promise<string> {
  return ask(...question).catch((error: RunError) => {
    if (error instanceof SandboxError) throw error;
    return error.stdout ?? '';
  });
}

/** Finds a program in PATH and in the usual folders of systems. Returns `undefined` if it is in none. */
export function findProgram(name: string): string | undefined {
  const folders = [...OWN_FOLDERS, ...(process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'))];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Returns the Node that runs this process. */
export async function findNode(): Promise<Interpreter> {
  const path = '/toolwright/node';
  const source = realpathSync(process.execPath);
  const binds = [{ source, target: path }, ...(await librariesOf(source))];
  return { path, binds, reservedBytes: codeRangeBytes(), text: `Node ${process.versions.node}` };
}

/** Returns the facts about the system's CPython. Raises `SANDBOX_UNAVAILABLE` if there is none, or only an old version. */
export async function pythonFacts(): Promise<PythonFacts> {
  const program = findProgram('python3');
  if (program === undefined) throw missing('python3 is not installed', INSTALL_PYTHON);
  const facts: PythonFacts = JSON.parse(await ask(program, ['-I', '-S', '-c', ASK_PYTHON]));
  const [major, minor] = facts.version;
  if (major !== 3 || minor < MIN_PYTHON_MINOR) {
    const message = `${program} is Python ${facts.version.join('.')}, but 3.${MIN_PYTHON_MINOR} or newer is required`;
    throw missing(message, INSTALL_PYTHON);
  }
  return facts;
}

/** Returns the system's CPython with the libraries that `packages` may need. Raises the errors of {@link pythonFacts}. */
export async function findPython({ hasPackages = false } = {}): Promise<Interpreter> {
  const facts = await pythonFacts();
  const version = facts.version.join('.');
  const source = realpathSync(facts.executable);
  const home = '/toolwright/python';
  const path = `${home}/bin/python3`;
  const libraries = await librariesOf(source, facts.extensions);
  return {
    path,
    binds: [
      { source, target: path },
      // Python finds its library relative to this path.
      { source: realpathSync(facts.stdlib), target: `${home}/${facts.libdir}/${basename(facts.stdlib)}` },
      ...(hasPackages ? withWheelLibraries(libraries) : libraries),
      ...(existsSync(ZONES) ? [{ source: realpathSync(ZONES), target: ZONES }] : []),
    ],
    reservedBytes: 0,
    text: `Python ${version} (${source})`,
  };
}

/** Adds the libraries of the system that wheels for Linux may rely on, as far as the system has them. */
function withWheelLibraries(libraries: readonly Bind[]): readonly Bind[] {
  const libc = libraries.find(({ target }) => basename(target).startsWith('libc.'));
  if (libc === undefined) return libraries;
  const folder = dirname(libc.target);
  const known = new Set(libraries.map(({ target }) => target));
  const folders = [folder, join('/usr', folder), dirname(libc.source), '/usr/lib64', '/usr/lib'];
  const added = WHEEL_LIBRARIES.flatMap((name) => {
    const found = folders.map((each) => join(each, name)).find((path) => existsSync(path));
    const target = join(folder, name);
    return found === undefined || known.has(target) ? [] : [{ source: realpathSync(found), target }];
  });
  return [...libraries, ...added];
}

/**
 * Returns the bytes that V8 reserves for compiled code. Since Node 24, it maps all of them as writable, so that the kernel counts
 * them as data: 512 MiB. This process runs the same V8.
 */
function codeRangeBytes(): number {
  if (process.platform !== 'linux') return 0;
  const ranges = [...readFileSync('/proc/self/maps', 'utf8').matchAll(CODE_RANGE_LINE)];
  return ranges.reduce((sum, [, from = '', to = '']) => sum + Number.parseInt(to, 16) - Number.parseInt(from, 16), 0);
}

/**
 * Returns the shared libraries of a program and of libraries that it loads later. All go to the folder of the C library, which
 * the loader searches by default. The loader stays at its path, which programs contain.
 */
async function librariesOf(program: string, loaded: readonly string[] = []): Promise<Bind[]> {
  const lines = (await tracedLibraries(program, loaded)) ?? (await listedLibraries([program, ...loaded]));
  const own = new Set(loaded);
  const found = [...lines.matchAll(LIBRARY_LINE)]
    .map(([, name, path = '']) => ({ name, path }))
    .filter(({ path }) => !own.has(path));
  const folder = dirname(found.find(({ name }) => name?.startsWith('libc.'))?.path ?? '/lib/libc');
  const sources = new Map<string, string>();
  for (const { name, path } of found) {
    const targets = name === undefined ? [path] : name.startsWith('/') ? [name, path] : [join(folder, name)];
    for (const target of targets) if (!sources.has(target)) sources.set(target, realpathSync(path));
  }
  return [...sources].map(([target, source]) => ({ source, target }));
}

/**
 * Asks the loader of the GNU C library, as `ldd` does, but once for all files: `ldd` starts three processes for each. Returns
 * `undefined` where the loader does not know the question; the program then prints its version.
 */
async function tracedLibraries(program: string, loaded: readonly string[]): Promise<string | undefined> {
  // The loader's list has no other separators, and no way to escape them.
  if (loaded.some((file) => /[:\s]/.test(file))) return undefined;
  const env = { LD_TRACE_LOADED_OBJECTS: '1', LD_PRELOAD: loaded.join(':') };
  const stdout = await outputOf(program, ['--version'], env);
  return /^\s*libc\.\S+ => \//m.test(stdout) ? stdout : undefined;
}

async function listedLibraries(files: readonly string[]): Promise<string> {
  const ldd = findProgram('ldd');
  if (ldd === undefined) throw missing('ldd, which lists shared libraries, is missing', 'install libc-bin');
  // It fails if one of several files is not dynamic, but still lists the libraries of the others.
  return outputOf(ldd, files);
}

function missing(message: string, fix: string): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', message, { details: { fix } });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
