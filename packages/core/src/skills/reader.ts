import type { Language } from '@toolwright/sandbox';
import { isComplexityError } from '../errors.ts';
import { inOrder } from './folder.ts';
import type { RefusedSkills } from './refused.ts';
import { signaturesOf } from './signature.ts';
import type { Skill, SkillFile } from './skill.ts';
import { type ValidationOptions, validateSkill } from './text/validation.ts';
import { fingerprint } from './versions/versions.ts';

/** A folder that is not a valid skill. */
export interface BrokenSkill {
  readonly problems: readonly string[];
  /** Set if no language worker can read one of its files. */
  readonly isRefused?: true;
}

/** A skill as its files show it, or why they are not a skill. */
export type SkillReading = Omit<Skill, 'version' | 'versions'> | BrokenSkill;

/** Reads the files of a skill. Raises `LANGUAGE_SERVICE_BUSY`. */
export type SkillReader = (name: string, files: readonly SkillFile[]) => Promise<SkillReading>;

/**
 * Creates the reader of one user's skills. It remembers each skill as long as the fingerprint of its files is the same, so that
 * a broken one is not read again. Those that no language worker can read are remembered on disk.
 */
export function createSkillReader(
  languages: readonly Language[],
  options: ValidationOptions,
  refused: RefusedSkills,
): SkillReader {
  const read = new Map<string, { readonly sha256: string; readonly reading: SkillReading }>();

  const readOnce = async (name: string, files: readonly SkillFile[]): Promise<SkillReading> => {
    const { frontMatter, body = '', problems, isRefused } = await validateSkill(name, files, options);
    if (!frontMatter) return { problems, isRefused: isRefused || undefined };
    try {
      const signatures = await signaturesOf(name, files, languages);
      return { name, description: frontMatter.description, signatures, frontMatter, body, files: inOrder(files) };
    } catch (error) {
      if (!isComplexityError(error)) throw error;
      return { problems: [`Its code cannot be read. ${error.message}`], isRefused: true };
    }
  };

  return async (name, files) => {
    const sha256 = fingerprint(files);
    const known = read.get(name);
    if (known?.sha256 === sha256) return known.reading;
    const before = await refused.find(name, sha256);
    const reading: SkillReading = before ? { problems: before, isRefused: true } : await readOnce(name, files);
    read.set(name, { sha256, reading });
    if (!before && 'isRefused' in reading && reading.isRefused) {
      // Without its record, for instance on a full disk, the skill is read once more after a restart.
      await refused.add(name, sha256, reading.problems).catch(() => undefined);
    }
    return reading;
  };
}
