import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { ToolwrightConfig } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { findConfig, parseConfig, parseConfigText, withMember } from '@toolwright/core/config';
import { messageOf } from '@toolwright/core/errors';
import {
  lockFileOf,
  lockProblem,
  packageRequests,
  packageSources,
  packagesFolder,
  readLock,
  writeLock,
} from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import {
  buildPackages,
  checkPackages,
  type PackageLock,
  PRESETS,
  readRequest,
  resolvePackages,
} from '@toolwright/sandbox/packages';
import { isRecord } from '../../clients/entry.ts';
import { editConfiguration } from '../project/edit-configuration.ts';
import { readText } from '../servers/files.ts';

/** The arguments of `toolwright packages`. */
export interface PackagesContext {
  readonly config: string | undefined;
  readonly language: LanguageName | undefined;
  readonly names: readonly string[];
  readonly json: boolean;
  readonly output: Output;
}

/** The lists of packages in a configuration. */
interface Lists {
  python: string[];
  typescript: string[];
  presets: string[];
}

const LANGUAGES: readonly LanguageName[] = ['python', 'typescript'];
const EMPTY = '{\n  "mcpServers": {}\n}\n';

/** Prints the requested packages with their versions. */
export async function listPackages({ names, config, json, output }: PackagesContext): Promise<number> {
  if (names.length > 0) throw new UsageError(`"packages list" accepts no argument; remove "${names[0]}".`);
  const { parsed, file } = await open(config);
  const lock = await readLock(lockFileOf(file));
  const problem = lockProblem(parsed, lock) ?? (await problemOf(lock, parsed));
  if (json) {
    output.out(JSON.stringify({ problem, ...lock }));
    return EXIT.completed;
  }
  const lines = LANGUAGES.flatMap((language) => {
    const { requested = [], packages = [], sandboxes = [] } = lock[language] ?? {};
    const own = new Set(requested.map((text) => readRequest(language, text).name));
    return packages.map(({ name, version, license = 'unknown licence' }) => {
      const why = own.has(name) ? '' : ', needed by others';
      return `${language}  ${name} ${version} (${license}${why}): ${sandboxes.join(', ')}`;
    });
  });
  for (const line of lines.length > 0 ? lines : ['No packages. Add some with: toolwright packages add data'])
    output.out(line);
  if (problem !== undefined) output.err(problem);
  return EXIT.completed;
}

/** Adds packages or presets to the configuration, locks and builds them. Changes nothing if that fails. */
export async function addPackages(context: PackagesContext): Promise<number> {
  const { names, language } = context;
  if (names.length === 0) throw new UsageError('Use "packages add NAME…", such as: toolwright packages add data');
  return change(context, (lists) => {
    const added = { python: [...lists.python], typescript: [...lists.typescript], presets: [...lists.presets] };
    for (const text of names) {
      if (language === undefined && Object.hasOwn(PRESETS, text)) {
        if (!added.presets.includes(text)) added.presets.push(text);
        continue;
      }
      const of = language ?? guessLanguage(text);
      const { name } = readRequest(of, text);
      added[of] = [...added[of].filter((known) => readRequest(of, known).name !== name), text];
    }
    return added;
  });
}

/** Removes packages or presets from the configuration and the lock. */
export async function removePackages(context: PackagesContext): Promise<number> {
  const { names, language } = context;
  if (names.length === 0) throw new UsageError('Use "packages remove NAME…".');
  return change(context, (lists) => {
    const left: Lists = { python: [...lists.python], typescript: [...lists.typescript], presets: [...lists.presets] };
    for (const name of names) {
      const before = JSON.stringify(left);
      for (const of of language === undefined ? LANGUAGES : [language]) {
        left[of] = left[of].filter((text) => text !== name && readRequest(of, text).name !== name.toLowerCase());
      }
      if (language === undefined) left.presets = left.presets.filter((preset) => preset !== name);
      if (JSON.stringify(left) !== before) continue;
      const known = [...left.presets, ...left.python, ...left.typescript].join(', ') || 'none';
      throw new UsageError(`The configuration has no package "${name}". It has: ${known}.`);
    }
    return left;
  });
}

/** Builds the packages of the lock. Resolves them first if the configuration has others, or with `isUpgrade`. */
export async function syncPackages(
  { config, names, json, output }: PackagesContext,
  isUpgrade: boolean,
): Promise<number> {
  if (names.length > 0) throw new UsageError(`"packages sync" accepts no argument; remove "${names[0]}".`);
  const { parsed, file } = await open(config);
  const last = await readLock(lockFileOf(file));
  const lock = await lockAndBuild(parsed, last, isUpgrade);
  if (JSON.stringify(lock) !== JSON.stringify(last)) await writeLock(lockFileOf(file), lock);
  report(lock, { json, output, folder: packagesFolder(parsed) });
  return EXIT.completed;
}

/** Returns for each language how its packages are: their number, their sandboxes, and a problem if there is one. */
export async function examine(
  config: ToolwrightConfig,
): Promise<{ subject: string; text: string; problem: string | undefined }[]> {
  let lock: PackageLock = { format: 1 };
  let problem: string | undefined;
  try {
    lock = await readLock(lockFileOf(config.file));
    problem = lockProblem(config, lock) ?? (await problemOf(lock, config));
  } catch (error) {
    problem = messageOf(error);
  }
  if (problem !== undefined) return [{ subject: 'packages', text: problem, problem }];
  return LANGUAGES.flatMap((language) => {
    const { packages = [], sandboxes = [] } = lock[language] ?? {};
    const text = `${packages.length} with the hashes of the lock, for ${sandboxes.join(', ')}`;
    return packages.length === 0 ? [] : [{ subject: `packages for ${language}`, text, problem }];
  });
}

async function change({ config, json, output }: PackagesContext, edit: (lists: Lists) => Lists): Promise<number> {
  const { root, parsed, file, parse } = await open(config);
  const lists = edit(parsed.packages);
  const section = isRecord(root.packages) ? root.packages : {};
  const kept = Object.fromEntries(
    Object.entries({ ...section, ...lists }).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
  const changed = parse({ ...root, packages: kept });
  const lock = await lockAndBuild(changed, await readLock(lockFileOf(file)), false);
  await writeLock(lockFileOf(file), lock);
  const place = { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env };
  await editConfiguration(file, (text) => withMember(text.trim() === '' ? EMPTY : text, ['packages'], kept), place);
  report(lock, { json, output, folder: packagesFolder(changed) });
  return EXIT.completed;
}

async function lockAndBuild(config: ToolwrightConfig, last: PackageLock, isUpgrade: boolean): Promise<PackageLock> {
  const sources = packageSources(config);
  const lock = await resolvePackages(packageRequests(config), { last, sources, isUpgrade });
  await buildPackages(lock, packagesFolder(config), sources);
  return lock;
}

/** Reads the configuration file; an empty one if there is none. */
async function open(path: string | undefined) {
  const named = path ?? (process.env.TOOLWRIGHT_CONFIG || undefined);
  const file = named === undefined ? (findConfig() ?? resolve('toolwright.json')) : resolve(named);
  const text = existsSync(file) ? await readText(file) : '';
  const root = parseConfigText(file, text.trim() === '' ? EMPTY : text);
  const parse = (content: Readonly<Record<string, unknown>>) => parseConfig(content, { file });
  return { file, root, parse, parsed: parse(root) };
}

/** Returns the only language whose presets have the package, or whose form its version has. Raises `UsageError`. */
function guessLanguage(text: string): LanguageName {
  if (/[=~<>!]=|\[/.test(text)) return 'python';
  if (text.includes('@')) return 'typescript';
  const having = LANGUAGES.filter((language) =>
    Object.values(PRESETS).some((preset) => preset[language].includes(text)),
  );
  if (having.length === 1 && having[0]) return having[0];
  throw new UsageError(`Is ${text} a package of PyPI or of npm? Add --language python or --language typescript.`);
}

async function problemOf(lock: PackageLock, config: ToolwrightConfig): Promise<string | undefined> {
  try {
    await checkPackages(lock, packagesFolder(config));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function report(lock: PackageLock, { json, output, folder }: { json: boolean; output: Output; folder: string }): void {
  if (json) output.out(JSON.stringify(lock));
  for (const language of LANGUAGES) {
    const { packages = [], sandboxes = [] } = lock[language] ?? {};
    if (packages.length > 0 && !json)
      output.out(`${packages.length} packages for ${language} in ${folder}, for ${sandboxes.join(', ')}.`);
  }
  if (lock.python && process.platform !== 'linux')
    output.err('Python packages need the sandbox jail, which needs Linux: they are locked, but not built here.');
}
