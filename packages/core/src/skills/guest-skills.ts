import { join } from 'node:path';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { Files } from '../workspaces/files.ts';
import { overlayFiles } from '../workspaces/overlay.ts';
import { fileError, guestPath, parseGuestPath } from '../workspaces/paths.ts';
import { openWorkspace } from '../workspaces/workspace.ts';
import { readFolder } from './folder.ts';
import { invalidSkill, type StoredSkills, unknownSkill } from './library.ts';
import { SKILL_FILE, SKILL_LIMITS, type SkillFile, type SkillSummary } from './skill.ts';
import { viewSkills } from './snapshot.ts';
import { isSkillName, judgeSkill, judgeSkillText } from './validation.ts';
import { fingerprint } from './versions.ts';

/** The skills of one user as one execution sees and changes them. */
export interface GuestSkills {
  /** `/skills`. Others see a change when it is saved. */
  readonly files: Files;
  /** All skills, as they were saved. */
  list(): Promise<readonly SkillSummary[]>;
  /** The files of a skill as this execution sees them. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`. */
  open(name: string): Promise<{ readonly name: string; readonly files: readonly SkillFile[] }>;
  /**
   * Ends the execution's view. When it completed, every skill that was changed is saved as its next version, whole. Gives
   * what its author should know of what was not.
   */
  end(hasCompleted: boolean): Promise<string[]>;
}

const MOUNT = 'skills';
/** Skills that one program changes: each is written to the disk for good, after the program and its time are over. */
const MAX_CHANGED = 50;

/**
 * Opens a user's skills for one execution; what it changes lies in `folder` meanwhile. `redactKnown` makes what is saved fit for
 * every later reader: a skill outlives the session, and the personal data that the session knows must not.
 */
export function openGuestSkills(
  library: StoredSkills,
  folder: string,
  redactKnown: (text: string) => Promise<string> = async (text) => text,
): GuestSkills {
  const { store } = library;
  const view = viewSkills(store);
  const upper = openWorkspace({
    root: folder,
    mount: MOUNT,
    workspaceBytes: SKILL_LIMITS.allBytes,
    workspaceFiles: SKILL_LIMITS.files * SKILL_LIMITS.skills,
  });
  const overlay = overlayFiles(view, upper, MOUNT, SKILL_LIMITS.bytes);

  const admit = (path: string): void => {
    const [, name] = parseGuestPath(path);
    const changed = overlay.changed();
    if (name === undefined || changed.includes(name) || changed.length < MAX_CHANGED) return;
    throw new ToolwrightError('WORKSPACE_FULL', `One program changes at most ${MAX_CHANGED} skills.`);
  };

  const filesOf = async (name: string): Promise<readonly SkillFile[] | undefined> => {
    if (!overlay.changed().includes(name)) return view.files(name);
    const { kind } = await overlay.stat(guestPath([MOUNT, name])).catch(() => ({ kind: 'file' }));
    return kind === 'directory' ? (await readFolder(join(folder, name))).files : undefined;
  };

  const save = async (name: string): Promise<string | undefined> => {
    const path = guestPath([MOUNT, name]);
    const before = await view.files(name);
    const files = await filesOf(name);
    if (!files) {
      if (await upper.stat(path).catch(() => undefined)) {
        return `${path} was not kept: skills are folders. Write /skills/<name>/${SKILL_FILE} and the code beside it.`;
      }
      if (before) await store.remove(name, { keepVersions: true });
      return undefined;
    }
    if (fingerprint(before ?? []) === fingerprint(files)) return undefined;
    const { problems } = judgeSkill(name, files);
    const kept = await Promise.all(files.map((file) => redactFile(file, redactKnown)));
    if (problems.length === 0) await store.put(name, kept);
    else if (before && judgeSkill(name, before).problems.length === 0) {
      return `${path} was left as it was, because what it would become is no skill: ${problems.join(' ')}`;
    } else {
      await store.put(name, kept, { isDraft: true });
      return `${path} is no skill yet, and is not listed: ${problems.join(' ')}`;
    }
    return undefined;
  };

  return {
    files: {
      ...overlay,
      async write(path, data, mode) {
        checkWrite(path, data, mode);
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
    },
    list: () => library.list(),
    async open(wanted) {
      // Python programs name a skill as they import it.
      const name = wanted.replaceAll('_', '-');
      const files = isSkillName(name) ? await filesOf(name) : undefined;
      if (!files) throw await unknownSkill(wanted, store);
      const { problems } = judgeSkill(name, files);
      if (problems.length > 0) throw invalidSkill(name, problems);
      return { name, files };
    },
    async end(hasCompleted) {
      const changed = overlay.changed();
      const warnings: string[] = [];
      if (!hasCompleted && changed.length > 0) {
        warnings.push(`The changes to /skills (${changed.join(', ')}) were not saved: the program did not complete.`);
      }
      for (const name of hasCompleted ? changed : []) {
        const warning = await save(name).catch(
          (error: unknown) => `/skills/${name} was not saved: ${messageOf(error)}`,
        );
        if (warning !== undefined) warnings.push(warning);
      }
      if (changed.length > 0) await upper.destroy();
      return warnings;
    },
  };
}

async function redactFile(file: SkillFile, redactKnown: (text: string) => Promise<string>): Promise<SkillFile> {
  if (file.text === undefined) return file;
  const text = await redactKnown(file.text);
  return text === file.text ? file : { ...file, text, bytes: Buffer.from(text) };
}

/** A `SKILL.md` is judged when it is written, so that its author can put it right at once. */
function checkWrite(path: string, data: Buffer, mode: 'replace' | 'append'): void {
  checkName(path, false);
  const [, name = '', ...rest] = parseGuestPath(path);
  // Python makes a file empty when it opens it.
  if (rest.join('/') !== SKILL_FILE || mode === 'append' || data.length === 0) return;
  const { problems } = judgeSkillText(name, data.toString('utf8'));
  if (problems.length > 0) throw invalidSkill(name, problems);
}

function checkName(path: string, isFolder: boolean): void {
  const parts = parseGuestPath(path);
  const [, name] = parts;
  const isInside = isFolder ? parts.length > 1 : parts.length > 2;
  if (name === undefined || !isInside || isSkillName(name)) return;
  const [problem] = judgeSkill(name, []).problems;
  throw fileError('EINVAL', `${guestPath(parts)} cannot be in a skill. ${problem}`);
}
