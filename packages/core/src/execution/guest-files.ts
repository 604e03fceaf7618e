import type { ProgramValues } from '@toolwright/pii/internal';
import { serverFiles } from '../catalog/server-files.ts';
import { changedSkillsFolder, openGuestSkills } from '../skills/guest-skills.ts';
import { recordChanges } from '../workspaces/change-recorder.ts';
import { mountFiles } from '../workspaces/mounts.ts';
import { openLoaders } from './check/tool-names.ts';
import type { GuestFiles, OpenedExecution, ToolNames } from './execution.ts';
import { createMedia } from './media/media.ts';

interface Loading {
  readonly names: ToolNames;
  readonly values: ProgramValues;
  readonly warn: (text: string) => void;
}

/** Opens the files that the program sees. */
export function openGuestFiles(opened: OpenedExecution, loading: Loading): GuestFiles {
  const { id, context, catalog, settings, session, redactor } = opened;
  const changed = changedSkillsFolder(context.dataDir, id);
  const skills = openGuestSkills(context.skills(session.userId), changed, redactor.redactKnown);
  const servers = serverFiles(catalog, context.language.name);
  const recorded = recordChanges(mountFiles({ ...session.mounts(), skills: skills.files, servers }));
  const { files, changed: changedFiles, note: noteChange } = recorded;
  const media = createMedia({
    executionId: id,
    workspace: session.workspace(),
    read: (path) => files.read(path, settings.limits.callResultBytes),
  });
  return {
    files,
    changedFiles,
    noteChange,
    skills,
    media,
    ...openLoaders(opened, { ...loading, files, changedFiles, skills }),
  };
}
