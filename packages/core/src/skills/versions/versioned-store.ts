import type { FolderPlace, VersionedFolders } from '../../workspaces/versioned/folders.ts';
import { SKILL_FOLDERS } from '../skill.ts';
import { openSkillStore, type SkillStore } from '../store.ts';

/** Milliseconds for which a list of many skills uses one version. */
const MAX_AGE_MS = 50;

/** Returns the place of the skills of a user. `home` is the name of the user as a folder. */
export function skillsPlace(folders: VersionedFolders, home: string): FolderPlace {
  return { ...folders.place(`skills/${home}`), top: SKILL_FOLDERS };
}

/**
 * Opens the skills of one user that several machines share. Each operation reads the newest version, and each change is committed when
 * it resolves. Raises the errors of a `FolderUse` too.
 */
export function versionedSkillStore(folders: VersionedFolders, home: string): SkillStore {
  const place = skillsPlace(folders, home);
  const local = openSkillStore(place.root);
  const reading = folders.use(place, { right: 'change', maxAgeMs: MAX_AGE_MS });
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    const use = folders.use(place, { right: 'change' });
    try {
      return await use.change(work);
    } finally {
      await use.end();
    }
  };
  return {
    root: local.root,
    names: () => reading.read(local.names),
    read: (name) => reading.read(() => local.read(name)),
    versions: (name) => reading.read(() => local.versions(name)),
    readVersion: (name, version) => reading.read(() => local.readVersion(name, version)),
    put: (name, files, options) => change(() => local.put(name, files, options)),
    remove: (name, options) => change(() => local.remove(name, options)),
  };
}
