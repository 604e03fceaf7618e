import type { StoredSkills } from '../library.ts';
import { SKILL_FILE, type SkillFile } from '../skill.ts';
import { validateSkill } from '../text/validation.ts';
import { fingerprint } from './versions.ts';

/** A skill that an execution changed. */
export interface ChangedSkill {
  readonly name: string;
  /** Its files before the execution; undefined when there was no such skill. */
  readonly before: readonly SkillFile[] | undefined;
  /** Its files now; undefined when the folder was removed. */
  readonly files: readonly SkillFile[] | undefined;
  /** Set when a file, and not a folder, was written at the skill's path. */
  readonly isFile: boolean;
}

/**
 * Saves a changed skill as its next version. If the result is not a valid skill, it returns a warning for the author of the
 * program. A valid skill stays unchanged then, and a new one is saved as a draft. `redactKnown` redacts every text file: a
 * skill outlives its session, and the personal data of the session must not.
 */
export async function saveChangedSkill(
  library: StoredSkills,
  { name, before, files, isFile }: ChangedSkill,
  redactKnown: (text: string) => Promise<string>,
): Promise<string | undefined> {
  const { store } = library;
  const path = `/skills/${name}`;
  if (!files) {
    if (isFile) {
      return `${path} was not saved: a skill is a file such as /skills/add_up.js (.ts, .py), or a folder with a ${SKILL_FILE} and its code.`;
    }
    if (before) await store.remove(name, { keepVersions: true });
    return undefined;
  }
  if (fingerprint(before ?? []) === fingerprint(files)) return undefined;
  if (files.length > 0 && files.every(({ bytes }) => bytes.length === 0)) return `${path} was not saved: it is empty.`;
  const { problems } = await validateSkill(name, files, library);
  const redacted = await Promise.all(files.map((file) => redactFile(file, redactKnown)));
  if (problems.length === 0) {
    await store.put(name, redacted);
    return undefined;
  }
  if (before && (await validateSkill(name, before, library)).problems.length === 0) {
    return `${path} was not changed, because the result is not a valid skill: ${problems.join(' ')}`;
  }
  await store.put(name, redacted, { isDraft: true });
  return `${path} is not a valid skill yet, and is listed as broken: ${problems.join(' ')}`;
}

async function redactFile(file: SkillFile, redactKnown: (text: string) => Promise<string>): Promise<SkillFile> {
  if (file.text === undefined) return file;
  const text = await redactKnown(file.text);
  return text === file.text ? file : { ...file, text, bytes: Buffer.from(text) };
}
