import { createTwoFilesPatch } from 'diff';
import type { Skill } from '../skill.ts';

/** A file that differs between two versions of a skill. */
export interface SkillFileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** A unified diff. Absent for files that are no text, and for texts that differ too much. */
  readonly diff?: string;
}

/** The diff of two long texts takes too long. */
const MAX_EDIT_LENGTH = 2_000;

/** Compares the files of two versions of a skill. */
export function diffSkills(before: Skill, after: Skill): SkillFileChange[] {
  const [old, young] = [before, after].map(({ files }) => new Map(files.map((file) => [file.path, file])));
  const paths = [...new Set([...(old?.keys() ?? []), ...(young?.keys() ?? [])])];
  return paths.flatMap((path): SkillFileChange[] => {
    const [from, to] = [old?.get(path), young?.get(path)];
    if (from && to && Buffer.compare(from.bytes, to.bytes) === 0) return [];
    const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
    const [fromText, toText] = [from ? from.text : '', to ? to.text : ''];
    const diff =
      fromText === undefined || toText === undefined
        ? undefined
        : createTwoFilesPatch(path, path, fromText, toText, '', '', { maxEditLength: MAX_EDIT_LENGTH });
    return [{ path, change, diff }];
  });
}
