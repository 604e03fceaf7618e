import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import type { Files } from '../workspaces/files.ts';
import { overlayFiles } from '../workspaces/overlay.ts';
import { guestPath } from '../workspaces/paths.ts';
import { openWorkspace } from '../workspaces/workspace.ts';
import { readFolder } from './folder.ts';
import { invalidSkill, type StoredSkills, unknownSkill } from './library.ts';
import { withPlainFiles } from './plain-files/files.ts';
import { skillNameOf } from './plain-files/path.ts';
import { SKILL_LIMITS, type SkillFile, type SkillSummary } from './skill.ts';
import { checkedFiles } from './text/checked-files.ts';
import { isSkillName, validateSkill } from './text/validation.ts';
import { saveChangedSkill } from './versions/changed-skill.ts';
import { snapshotSkills } from './versions/snapshot.ts';

/** The skills of one user during one execution. */
export interface GuestSkills {
  /** The files below `/skills`. Other executions see a change after it was saved. */
  readonly files: Files;
  /** Returns all saved skills. */
  list(): Promise<readonly SkillSummary[]>;
  /** Returns the files of a skill, with the changes of this execution. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`. */
  open(name: string): Promise<OpenSkill>;
  /**
   * Ends the execution. Saves every changed skill as its next version, unless there is a reason not to. Returns warnings about
   * changes that were not saved.
   */
  end(reasonNotToSave?: string): Promise<string[]>;
}

/** A valid skill, with the changes of this execution. */
export interface OpenSkill {
  readonly name: string;
  readonly description: string;
  readonly files: readonly SkillFile[];
}

const MOUNT = 'skills';

/** Returns the folder on the host for the skills that an execution changes. */
export function changedSkillsFolder(dataDir: string, executionId: string): string {
  return join(dataDir, 'executions', `${executionId}.skills`);
}

/**
 * Opens a user's skills for one execution. Changes stay in `folder` until the end. `redactKnown` redacts the personal data
 * of the session in saved skills; by default texts are saved unchanged.
 */
export function openGuestSkills(
  library: StoredSkills,
  folder: string,
  redactKnown: (text: string) => Promise<string> = async (text) => text,
): GuestSkills {
  const { store } = library;
  const saved = snapshotSkills(store);
  const changes = openWorkspace({
    root: folder,
    mount: MOUNT,
    workspaceBytes: SKILL_LIMITS.allBytes,
    workspaceFiles: SKILL_LIMITS.files * SKILL_LIMITS.skills,
  });
  const overlay = overlayFiles(saved, changes, MOUNT, SKILL_LIMITS.bytes);

  const plain = withPlainFiles(checkedFiles(overlay), library.checkCode);

  const filesOf = async (name: string): Promise<readonly SkillFile[] | undefined> => {
    if (!overlay.changed().includes(name)) return saved.files(name);
    const { kind } = await overlay.stat(guestPath([MOUNT, name])).catch(() => ({ kind: 'file' }));
    const files = kind === 'directory' ? (await readFolder(join(folder, name))).files : undefined;
    return files && plain.names.has(name) ? library.adopt(name, files) : files;
  };
  const save = async (name: string): Promise<string | undefined> => {
    const [before, files] = [await saved.files(name), await filesOf(name)];
    const entry = files ? undefined : await changes.stat(guestPath([MOUNT, name])).catch(() => undefined);
    return saveChangedSkill(library, { name, before, files, isFile: entry !== undefined }, redactKnown);
  };

  return {
    files: plain.files,
    list: () => library.list(),
    async open(wanted) {
      // Programs also use the name of the module or file: `add_up`, `addUp`.
      const name = skillNameOf(wanted);
      const files = isSkillName(name) ? await filesOf(name) : undefined;
      if (!files) throw await unknownSkill(wanted, store);
      const { problems, frontMatter } = await validateSkill(name, files, library);
      if (!frontMatter) throw invalidSkill(name, problems);
      return { name, description: frontMatter.description, files };
    },
    async end(reasonNotToSave) {
      const changed = overlay.changed();
      const warnings: string[] = [];
      if (reasonNotToSave !== undefined && changed.length > 0) {
        warnings.push(`The changes to /skills (${changed.join(', ')}) were not saved: ${reasonNotToSave}.`);
      }
      for (const name of reasonNotToSave === undefined ? changed : []) {
        const warning = await save(name).catch(
          (error: unknown) => `/skills/${name} was not saved: ${messageOf(error)}`,
        );
        if (warning !== undefined) warnings.push(warning);
      }
      if (changed.length > 0) await changes.destroy();
      return warnings;
    },
  };
}
