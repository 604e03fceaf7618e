import { join } from 'node:path';
import type { Language } from '@toolwright/sandbox';
import { ToolwrightError } from '../errors.ts';
import { folderName } from '../workspaces/folder-name.ts';
import { filesOf } from './draft.ts';
import { inOrder } from './folder.ts';
import { type PluginSkills, withPluginSkills } from './plugin-skills.ts';
import { rankSkills } from './search.ts';
import { signaturesOf } from './signature.ts';
import type { Skill, SkillDraft, SkillFile, SkillLibrary, SkillSummary } from './skill.ts';
import { openSkillStore, type SkillStore } from './store.ts';
import { isSkillName, validateSkill } from './validation.ts';
import { fingerprint, type KeptVersion } from './versions.ts';

/** The part of a library that needs no sandbox. */
export type StoredSkills = Omit<SkillLibrary, 'saveExecution'> & {
  readonly store: SkillStore;
  /** Returns a valid skill; undefined when there is none. */
  find(name: string): Promise<Skill | undefined>;
};

/** Returns a function that opens the skills of a user, in `<dataDir>/users/<user>/skills`. */
export function createSkillLibraries(
  dataDir: string,
  languages: readonly Language[],
  pluginSkills: PluginSkills = new Map(),
): (user: string) => StoredSkills {
  const opened = new Map<string, StoredSkills>();
  return (user) => {
    const home = join(dataDir, 'users', folderName('user', user));
    const known = opened.get(home);
    if (known) return known;
    const library = createLibrary(withPluginSkills(openSkillStore(home), pluginSkills), languages);
    opened.set(home, library);
    return library;
  };
}

function createLibrary(store: SkillStore, languages: readonly Language[]): StoredSkills {
  /** Skills that were read, valid as long as the fingerprint of their files is the same. */
  const read = new Map<string, { readonly sha256: string; readonly skill: Skill | undefined }>();

  const describe = async (name: string, files: readonly SkillFile[], versions: readonly KeptVersion[]) => {
    const sha256 = fingerprint(files);
    const version = versions.find((kept) => kept.sha256 === sha256)?.version ?? 0;
    const listed = versions.map(({ version: number, savedAt }) => ({ version: number, savedAt }));
    const known = read.get(name);
    if (known?.sha256 === sha256) return known.skill && { ...known.skill, version, versions: listed };
    const { frontMatter, body = '' } = validateSkill(name, files);
    const skill: Skill | undefined = frontMatter && {
      name,
      description: frontMatter.description,
      version,
      signatures: await signaturesOf(name, files, languages),
      frontMatter,
      body,
      files: inOrder(files),
      versions: listed,
    };
    read.set(name, { sha256, skill });
    return skill;
  };

  const find = async (name: string): Promise<Skill | undefined> => {
    if (!isSkillName(name)) return undefined;
    const [content, versions] = await Promise.all([store.read(name), store.versions(name)]);
    if (!content || content.problems.length > 0) return undefined;
    return describe(name, content.files, versions);
  };

  const all = async (): Promise<Skill[]> => {
    const skills: Skill[] = [];
    for (const name of await store.names()) {
      const skill = await find(name);
      if (skill) skills.push(skill);
    }
    return skills;
  };

  const load = async (name: string, { version }: { readonly version?: number } = {}): Promise<Skill> => {
    const isName = isSkillName(name);
    const content = isName ? await store.read(name) : undefined;
    const versions = isName ? await store.versions(name) : [];
    if (!content && (version === undefined || versions.length === 0)) throw await unknownSkill(name, store);
    const old = version === undefined ? undefined : await readOld(store, name, version, versions);
    const files = old ?? content?.files ?? [];
    const problems = [...(old ? [] : (content?.problems ?? [])), ...validateSkill(name, files).problems];
    const skill = problems.length > 0 ? undefined : await describe(name, files, versions);
    if (!skill) throw invalidSkill(name, problems);
    return version === undefined ? skill : { ...skill, version };
  };

  return {
    store,
    find,
    list: async (query) => {
      const skills = await all();
      return (query === undefined ? skills : rankSkills(query, skills)).map(summaryOf);
    },
    load,
    async save(draft: SkillDraft) {
      const { files, problems } = await filesOf(draft, languages);
      const wrong = [...problems, ...validateSkill(String(draft.name), files).problems];
      if (wrong.length > 0) throw invalidSkill(String(draft.name), wrong);
      const version = await store.put(draft.name, files);
      const skill = await describe(draft.name, files, await store.versions(draft.name));
      if (!skill) throw new ToolwrightError('INTERNAL', `The skill "${draft.name}" was saved and is not valid.`);
      return { ...summaryOf(skill), version };
    },
    async remove(name) {
      if (!isSkillName(name) || !(await store.read(name))) throw await unknownSkill(name, store);
      await store.remove(name);
      read.delete(name);
    },
  };
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
export function summaryOf({ name, description, version, signatures }: Skill): SkillSummary {
  return { name, description, version, signatures };
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
