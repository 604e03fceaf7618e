import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UsageError } from '@toolwright/core/command';

/** Runs a program with a text on stdin. Resolves to its stdout. */
export type RunProgram = (command: string, args: readonly string[], input: string) => Promise<string>;

/** A package in a command line. */
interface PackagePlace {
  /** The index of its word in the arguments. */
  readonly index: number;
  /** The text before the package in this word, such as `--package=`. */
  readonly prefix: string;
  readonly spec: string;
}

const TIMEOUT_MS = 60_000;
const NPM_LAUNCHERS = /(^|[/\\])(npx|bunx|pnpx)(\.cmd)?$/;
const UV_LAUNCHER = /(^|[/\\])uvx(\.exe)?$/;

/**
 * Replaces the package of a command by its exact version of today: of npm for `npx`, of the Python index for `uvx`. Raises
 * `UsageError` for other commands, and without the package registry.
 */
export async function pinnedArgs(
  command: string,
  args: readonly string[],
  run: RunProgram = runProgram,
): Promise<string[]> {
  if (NPM_LAUNCHERS.test(command)) {
    const place = requirePackage(args, /^(?:-p|--package)$/, /^--package=/);
    const version = await npmVersion(place.spec, run);
    return replaced(args, place, `${nameOf(place.spec)}@${version}`);
  }
  if (UV_LAUNCHER.test(command)) {
    const place = requirePackage(args, /^--from$/, /^--from=/);
    const pinned = await pythonVersion(place.spec, run);
    const isFrom = place.prefix !== '' || args[place.index - 1] === '--from';
    if (isFrom) return replaced(args, place, pinned);
    const program = place.spec.replace(/[@[=<>~!].*$/, '');
    const [before, after] = [args.slice(0, place.index), args.slice(place.index + 1)];
    return [...before, '--from', pinned, program, ...after];
  }
  throw new UsageError(`--pin needs a command that starts a package: npx, bunx or uvx, not "${command}".`);
}

function requirePackage(args: readonly string[], option: RegExp, joined: RegExp): PackagePlace {
  const place = findPackage(args, option, joined);
  if (place && !/^(https?:|git[+:]|git@[^/]*:|file:|\.|\/)/.test(place.spec)) return place;
  throw new UsageError('--pin finds no package with versions in the command. Write its name: npx -y NAME.');
}

function findPackage(args: readonly string[], option: RegExp, joined: RegExp): PackagePlace | undefined {
  for (const [index, word] of args.entries()) {
    const [prefix] = joined.exec(word) ?? [];
    if (prefix !== undefined) return { index, prefix, spec: word.slice(prefix.length) };
    const next = args[index + 1];
    if (option.test(word)) return next === undefined ? undefined : { index: index + 1, prefix: '', spec: next };
    if (!word.startsWith('-')) return { index, prefix: '', spec: word };
    // These options of both programs have a value of their own.
    if (/^(--(cache|registry|userconfig|python|with|index|index-url)|-c)$/.test(word))
      return findAfter(args, index + 2, option, joined);
  }
  return undefined;
}

function findAfter(args: readonly string[], start: number, option: RegExp, joined: RegExp): PackagePlace | undefined {
  const found = findPackage(args.slice(start), option, joined);
  return found && { ...found, index: found.index + start };
}

function replaced(args: readonly string[], { index, prefix }: PackagePlace, spec: string): string[] {
  return args.map((word, at) => (at === index ? prefix + spec : word));
}

/** Returns the name in `@scope/name@1.0`. */
function nameOf(spec: string): string {
  return /^(@[^/]+\/)?[^@]+/.exec(spec)?.[0] ?? spec;
}

async function npmVersion(spec: string, run: RunProgram): Promise<string> {
  const answer = await asked('npm', ['view', spec, 'version', '--json'], '', spec, run);
  const versions: unknown = answer.trim() === '' ? undefined : JSON.parse(answer);
  const version = Array.isArray(versions) ? versions.at(-1) : versions;
  if (typeof version === 'string') return version;
  throw new UsageError(`There is no version of the package "${spec}". Check its name.`);
}

/** Asks uv for the version that it would install, so that its index and its Python count. */
async function pythonVersion(spec: string, run: RunProgram): Promise<string> {
  const requirement = spec.replace(/@latest$/, '').replace('@', '==');
  const args = ['pip', 'compile', '--no-deps', '--no-header', '--no-annotate', '--quiet', '-'];
  const answer = await asked('uv', args, `${requirement}\n`, spec, run);
  const pinned = answer.split('\n').find((line) => /^[\w.-]+(\[[\w,.-]+\])?==\S+/.test(line.trim()));
  if (pinned !== undefined) return pinned.trim().split(/\s/)[0] ?? pinned;
  throw new UsageError(`There is no version of the package "${spec}". Check its name.`);
}

async function asked(command: string, args: string[], input: string, spec: string, run: RunProgram): Promise<string> {
  try {
    return await run(command, args, input);
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT')
      throw new UsageError(
        `--pin needs the program ${command}, which is not installed. Install it, or write the version by hand.`,
      );
    const isUnknown = /E404|ETARGET|not found in the package registry|no version/i.test(stderr);
    const reason = isUnknown ? 'the package registry does not have it' : 'the package registry cannot be reached';
    throw new UsageError(
      `The version of the package "${spec}" is unknown: ${reason}. Check its name and the network, or write the version by hand.`,
    );
  }
}

const execute = promisify(execFile);

async function runProgram(command: string, args: readonly string[], input: string): Promise<string> {
  const running = execute(command, [...args], { timeout: TIMEOUT_MS, shell: process.platform === 'win32' });
  running.child.stdin?.end(input);
  return (await running).stdout;
}
