import { join } from 'node:path';
import type { Language } from '@toolwright/sandbox';
import { languageOf } from '@toolwright/sandbox/internal';
import { folderName } from '@toolwright/storage/internal';
import { terms } from '../catalog/search/terms.ts';
import { DEFAULT_LIMITS } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import type { VersionedFolders } from '../workspaces/versioned/folders.ts';
import { adopted } from './plain-files/adopt.ts';
import type { CheckCode } from './plain-files/files.ts';
import { type PluginSkills, withPluginSkills } from './plugin-skills.ts';
import { type BrokenSkill, createSkillReader, type SkillReader } from './reader.ts';
import { openRefusedSkills } from './refused.ts';
import {
  SKILL_FILE,
  type Skill,
  type SkillDraft,
  type SkillFile,
  type SkillLibrary,
  type SkillSummary,
} from './skill.ts';
import { openSkillStore, type SkillStore } from './store.ts';
import { filesOf } from './text/draft.ts';
import { codeProblem, isSkillName, validateSkill } from './text/validation.ts';
import { versionedSkillStore } from './versions/versioned-store.ts';
import { fingerprint, type KeptVersion } from './versions/versions.ts';

/** The part of a library that needs no sandbox. */
export type StoredSkills = Omit<SkillLibrary, 'saveExecution'> & {
  readonly store: SkillStore;
  /** The owner of the skills. */
  readonly userId: string;
  /** Bytes of one file of code. */
  readonly codeBytes: number;
  /** Returns a valid skill; undefined when there is none. */
  find(name: string): Promise<Skill | undefined>;
  /** Adds a `SKILL.md` to code without one. */
  adopt(name: string, files: readonly SkillFile[]): Promise<readonly SkillFile[]>;
  /** Checks TypeScript or JavaScript code. Raises `SYNTAX`. */
  readonly checkCode: CheckCode;
};

export interface SkillLibraryOptions {
  readonly pluginSkills?: PluginSkills;
  /** The folders that several machines share. Default: the skills are in the data folder. */
  readonly folders?: VersionedFolders | undefined;
  /** Bytes of one file of code. Default: that of `limits.sourceBytes`. */
  readonly codeBytes?: number;
  /** Returns the files to save for the files of a skill: with the record of its packages. Default: the files. */
  readonly withRecord?: (files: readonly SkillFile[]) => Promise<readonly SkillFile[]>;
}

/** The weight of a word in the name, relative to a word in the description. */
const NAME_WEIGHT = 3;

/** Returns a function that opens the skills of a user, in `<dataDir>/users/<user>/skills`, or in folders that several machines share. */
export function createSkillLibraries(
  dataDir: string,
  languages: readonly Language[],
  {
    pluginSkills = new Map(),
    folders,
    codeBytes = DEFAULT_LIMITS.sourceBytes,
    withRecord = async (files) => files,
  }: SkillLibraryOptions = {},
): (user: string) => StoredSkills {
  const opened = new Map<string, StoredSkills>();
  return (user) => {
    const name = folderName('user', user);
    const home = join(dataDir, 'users', name);
    const known = opened.get(home);
    if (known) return known;
    const stored = withPluginSkills(folders ? versionedSkillStore(folders, name) : openSkillStore(home), pluginSkills);
    const store: SkillStore = {
      ...stored,
      put: async (skill, files, options) => stored.put(skill, await withRecord(files), options),
    };
    const own = languages.map((language) => language.forTenant(user));
    const readFiles = createSkillReader(
      own,
      { userId: user, codeBytes },
      openRefusedSkills(join(home, 'refused-skills')),
    );
    const library = createLibrary(store, own, { userId: user, codeBytes }, readFiles);
    opened.set(home, library);
    return library;
  };
}

/** Returns a function that reads a skill from its files, with its versions. */
function skillReader(readFiles: SkillReader) {
  return async (name: string, files: readonly SkillFile[], versions: readonly KeptVersion[]) => {
    const reading = await readFiles(name, files);
    if ('problems' in reading) return reading;
    const sha256 = fingerprint(files);
    const version = versions.find((kept) => kept.sha256 === sha256)?.version ?? 0;
    return {
      ...reading,
      version,
      versions: versions.map((kept) => ({ version: kept.version, savedAt: kept.savedAt })),
    };
  };
}

function createLibrary(
  store: SkillStore,
  languages: readonly Language[],
  { userId, codeBytes }: { readonly userId: string; readonly codeBytes: number },
  readFiles: SkillReader,
): StoredSkills {
  const readSkill = skillReader(readFiles);

  const open = async (name: string): Promise<Skill | BrokenSkill | undefined> => {
    const [content, versions] = await Promise.all([store.read(name), store.versions(name)]);
    if (!content) return undefined;
    return content.problems.length > 0 ? { problems: content.problems } : readSkill(name, content.files, versions);
  };

  const list = async (query?: string): Promise<SkillSummary[]> => {
    const valid: Skill[] = [];
    const broken: SkillSummary[] = [];
    for (const name of await store.names()) {
      const found = await open(name);
      if (found && 'problems' in found) broken.push(brokenSummary(name, found));
      else if (found) valid.push(found);
    }
    if (query !== undefined) return rankSkills(query, valid).map(summaryOf);
    return [...valid.map(summaryOf), ...broken].sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const load = async (wanted: string, { version }: { readonly version?: number } = {}): Promise<Skill> => {
    const name = nameOf(wanted);
    const isName = isSkillName(name);
    const content = isName ? await store.read(name) : undefined;
    const versions = isName ? await store.versions(name) : [];
    if (!content && (version === undefined || versions.length === 0)) throw await unknownSkill(name, store);
    const old = version === undefined ? undefined : await readOld(store, name, version, versions);
    const files = old ?? content?.files ?? [];
    const found = await readSkill(name, files, versions);
    const problems = [...(old ? [] : (content?.problems ?? [])), ...('problems' in found ? found.problems : [])];
    if ('problems' in found || problems.length > 0) throw invalidSkill(name, problems);
    return version === undefined ? found : { ...found, version };
  };

  return {
    store,
    userId,
    codeBytes,
    adopt: (name, files) => adopted(name, files, languages),
    async checkCode(path, code) {
      await languages.find(({ name }) => name === 'typescript')?.prepareModule(code, path);
    },
    async find(wanted) {
      const name = nameOf(wanted);
      const found = isSkillName(name) ? await open(name) : undefined;
      return found && 'problems' in found ? undefined : found;
    },
    list,
    load,
    async save(given: SkillDraft) {
      requireShortCode(given, codeBytes);
      const { code, language = code === undefined ? undefined : await languageOf(code, userId) } = given;
      const draft = { ...given, name: nameOf(given.name), language: language ?? given.language };
      const { files, problems } = await filesOf(draft, languages);
      const name = String(draft.name);
      // The author of single fields can correct them; a whole SKILL.md may be that of somebody else.
      const isStrict = !Object.hasOwn(given.files ?? {}, SKILL_FILE);
      const wrong = isStrict && (await validateSkill(name, files, { userId, codeBytes, isStrict }));
      const all = problems.length > 0 || !wrong ? problems : wrong.problems;
      const reading = all.length > 0 ? { problems: all } : await readFiles(name, files);
      if ('problems' in reading) throw invalidSkill(name, reading.problems);
      return summaryOf({ ...reading, version: await store.put(draft.name, files) });
    },
    async remove(wanted) {
      const name = nameOf(wanted);
      if (!isSkillName(name) || !(await store.read(name))) throw await unknownSkill(name, store);
      await store.remove(name);
    },
  };
}

/** No language worker reads code that is too long. */
function requireShortCode({ name, code }: SkillDraft, codeBytes: number): void {
  const problem = code === undefined ? undefined : codeProblem('The code', code, codeBytes);
  if (problem !== undefined) throw invalidSkill(String(name), [problem]);
}

/** Returns the name of a skill that may be written with underscores, like a module of Python. */
function nameOf(wanted: string): string {
  const name = String(wanted).replaceAll('_', '-');
  return isSkillName(name) ? name : wanted;
}

/** Returns the error of an invalid skill, with every problem. */
export function invalidSkill(name: string, problems: readonly string[]): ToolwrightError {
  const text = problems.length === 1 ? ` ${problems[0]}` : `\n${problems.map((problem) => `- ${problem}`).join('\n')}`;
  const message = `"${name.slice(0, 64)}" is not a valid skill.${text}`;
  return new ToolwrightError('SKILL_INVALID', message, { details: { problems } });
}

/** Returns the error of a skill that does not exist, or belongs to another user. */
export async function unknownSkill(name: string, store: SkillStore): Promise<ToolwrightError> {
  const names = await store.names();
  const known = names.length === 0 ? 'none' : `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
  return new ToolwrightError('UNKNOWN_SKILL', `Unknown skill "${String(name).slice(0, 64)}". Skills: ${known}.`);
}

/** Returns the part of a skill that lists show. */
function summaryOf({ name, description, version, signatures }: Omit<Skill, 'versions'>): SkillSummary {
  return { name, description, version, signatures };
}

function brokenSummary(name: string, { problems }: BrokenSkill): SkillSummary {
  return { name, description: '', version: 0, signatures: [], problem: problems.join(' ') };
}

async function readOld(
  store: SkillStore,
  name: string,
  version: number,
  versions: readonly KeptVersion[],
): Promise<readonly SkillFile[]> {
  const files = Number.isSafeInteger(version) ? await store.readVersion(name, version) : undefined;
  if (files) return files;
  const kept = versions.map((known) => known.version).join(', ') || 'none';
  throw new ToolwrightError('UNKNOWN_SKILL', `"${name}" has no version ${version}. Saved versions: ${kept}.`);
}

/** Returns the skills that contain words of a query, those with the most words first. */
function rankSkills(query: string, skills: readonly Skill[]): Skill[] {
  const wanted = new Set(terms(query));
  const score = ({ name, description }: Skill): number => {
    const inName = terms(name).filter((term) => wanted.has(term));
    const inDescription = new Set(terms(description).filter((term) => wanted.has(term)));
    return inName.length * NAME_WEIGHT + inDescription.size;
  };
  return skills
    .map((skill) => ({ skill, points: score(skill) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ skill }) => skill);
}
