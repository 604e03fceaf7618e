import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularText } from '@toolwright/connectors/read-file';
import type { LanguageName } from '@toolwright/sandbox';
import * as z from 'zod';
import { skillFile } from '../../skills/folder.ts';
import type { SkillFile } from '../../skills/skill.ts';
import { LOCK_FILE } from './lock-file.ts';
import type { InstalledPackage, Packages } from './packages.ts';

/** The packages that the code of a skill imports, by language: their versions when it was saved. */
const schema = z.strictObject({
  typescript: z.record(z.string(), z.string()).optional(),
  python: z.record(z.string(), z.string()).optional(),
});
type RecordedPackages = z.output<typeof schema>;

const LANGUAGES: readonly LanguageName[] = ['typescript', 'python'];
const CODE: Readonly<Record<LanguageName, RegExp>> = { typescript: /\.[jt]s$/, python: /\.py$/ };
const TYPESCRIPT_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'./][^"']*)["']/g;
const PYTHON_IMPORT = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))/gm;
const PACKAGE_OF_NPM = /^(?:@[^/]+\/)?[^/]+/;
const MAX_RECORD_BYTES = 64 * 1024;
/** Bytes of the list of files of a wheel. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Returns a function that records the packages of a skill in its files: in `toolwright.lock`, which is absent without any. */
export function packageRecorder(packages: Packages): (files: readonly SkillFile[]) => Promise<readonly SkillFile[]> {
  return async (files) => {
    const before = recordOf(files.find(({ path }) => path === LOCK_FILE)?.text);
    const code = files.filter(({ path }) => path !== LOCK_FILE);
    const record: Partial<Record<LanguageName, Record<string, string>>> = {};
    for (const language of LANGUAGES) {
      const texts = code.flatMap(({ path, text = '' }) => (CODE[language].test(path) ? [text] : []));
      const imported = new Set(texts.flatMap((text) => importsOf(text, language)));
      const used: Record<string, string> = {};
      // A package that is not installed now keeps its version of before.
      for (const [name, version] of Object.entries(before?.[language] ?? {}))
        if (imported.has(name)) used[name] = version;
      for (const found of packages.installed(language)) {
        const names = await importNames(found, language, packages);
        if (names.some((name) => imported.has(name))) used[found.name] = found.version;
      }
      if (Object.keys(used).length > 0) record[language] = sorted(used);
    }
    if (Object.keys(record).length === 0) return code.length === files.length ? files : code;
    return [...code, skillFile(LOCK_FILE, `${JSON.stringify(record, null, 2)}\n`)];
  };
}

export interface SkillPackagesOptions {
  readonly packages: Packages;
  readonly language: LanguageName;
  /** Reads a file of the program. */
  readonly read: (path: string, maxBytes: number) => Promise<Buffer>;
  readonly warn: (text: string) => void;
}

/** Returns a function that warns once of each skill that was saved with other packages. It receives the paths of loaded modules. */
export function skillPackageCheck({
  packages,
  language,
  read,
  warn,
}: SkillPackagesOptions): (path: string) => Promise<void> {
  const seen = new Set<string>();
  return async (path) => {
    const folder = /^\/skills\/([^/]+)\/[^/]/.exec(path)?.[1];
    // A module of Python has underscores in place of hyphens.
    const name = folder?.replaceAll('_', '-');
    if (name === undefined || seen.has(name)) return;
    seen.add(name);
    const text = await read(`/skills/${name}/${LOCK_FILE}`, MAX_RECORD_BYTES).catch(() => undefined);
    const recorded = recordOf(text?.toString())?.[language] ?? {};
    const now = new Map(packages.installed(language).map((each) => [each.name, each.version]));
    const different = Object.entries(recorded).flatMap(([each, version]) => {
      const installed = now.get(each);
      return installed === version ? [] : [`${each} ${version}, now ${installed ?? 'not installed'}`];
    });
    if (different.length > 0) warn(`The skill "${name}" was saved with other packages: ${different.join('; ')}.`);
  };
}

function recordOf(text: string | undefined): RecordedPackages | undefined {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

function importsOf(text: string, language: LanguageName): string[] {
  if (language === 'typescript') {
    return [...text.matchAll(TYPESCRIPT_IMPORT)].flatMap(([, name = '']) => PACKAGE_OF_NPM.exec(name) ?? []);
  }
  return [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, list = '']) =>
    (from ?? list).split(',').map((each) => each.trim().split(/[.\s]/)[0] ?? ''),
  );
}

/** Returns the names by which programs import a package: those of a wheel are in its own list of files. */
async function importNames(
  { name, version }: InstalledPackage,
  language: LanguageName,
  { python }: Packages,
): Promise<readonly string[]> {
  if (language === 'typescript' || python === undefined) return [name];
  const folders = await readdir(python).catch(() => []);
  const own = folders.find((each) => plainName(each) === plainName(`${name}-${version}.dist-info`));
  const list =
    own === undefined ? '' : await readRegularText(join(python, own, 'RECORD'), MAX_LIST_BYTES).catch(() => '');
  const tops = list.split('\n').map((line) => /^([A-Za-z_]\w*)(?:\.py|\/)/.exec(line)?.[1] ?? '');
  return [name, name.replaceAll('-', '_'), ...new Set(tops.filter((each) => each !== ''))];
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]+/g, '-');
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
