import { ToolwrightError } from '../../errors.ts';
import type { Files } from '../../workspaces/files.ts';
import type { Overlay } from '../../workspaces/overlay.ts';
import { fileError, guestPath, parseGuestPath } from '../../workspaces/paths.ts';
import { invalidSkill } from '../library.ts';
import { SKILL_FILE } from '../skill.ts';
import { isSkillName, skillNameProblems, validateSkillText } from './validation.ts';

/** Skills that one program may change. Each is written to the disk durably, after the time of the program. */
const MAX_CHANGED = 50;

/**
 * Checks the changes of a program to `/skills`. Raises `SKILL_INVALID` for an invalid `SKILL.md`, `FILE_ERROR` for an
 * invalid name, and `WORKSPACE_FULL` for too many changed skills.
 */
export function checkedFiles(overlay: Overlay): Files {
  const admit = (path: string): void => {
    const [, name] = parseGuestPath(path);
    const changed = overlay.changed();
    if (name === undefined || changed.includes(name) || changed.length < MAX_CHANGED) return;
    throw new ToolwrightError('WORKSPACE_FULL', `One program can change at most ${MAX_CHANGED} skills.`);
  };
  return {
    ...overlay,
    async write(path, data, mode) {
      await checkWrite(path, data, mode);
      admit(path);
      await overlay.write(path, data, mode);
    },
    async makeFolder(path, recursive) {
      checkName(path, true);
      admit(path);
      await overlay.makeFolder(path, recursive);
    },
    async remove(path, options) {
      admit(path);
      await overlay.remove(path, options);
    },
    async removeFolder(path) {
      admit(path);
      await overlay.removeFolder(path);
    },
    async rename(from, to) {
      checkName(to, false);
      admit(from);
      admit(to);
      await overlay.rename(from, to);
    },
  };
}

/** Checks a `SKILL.md` when it is written, so that the program sees the problems at once. */
async function checkWrite(path: string, data: Buffer, mode: 'replace' | 'append'): Promise<void> {
  checkName(path, false);
  const [, name = '', ...rest] = parseGuestPath(path);
  // Python's open() first writes an empty file.
  if (rest.join('/') !== SKILL_FILE || mode === 'append' || data.length === 0) return;
  const { problems } = await validateSkillText(name, data.toString('utf8'), { isStrict: true });
  if (problems.length > 0) throw invalidSkill(name, problems);
}

function checkName(path: string, isFolder: boolean): void {
  const parts = parseGuestPath(path);
  const [, name] = parts;
  const isInside = isFolder ? parts.length > 1 : parts.length > 2;
  if (name === undefined || !isInside || isSkillName(name)) return;
  const [problem] = skillNameProblems(name);
  throw fileError('EINVAL', `${guestPath(parts)} cannot be part of a skill. ${problem}`);
}
