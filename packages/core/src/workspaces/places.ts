import { diskName } from './file-names.ts';
import { inFolder } from './no-follow.ts';
import { fileError, guestPath, parseGuestPath, toFileError } from './paths.ts';
import type { SharedWorkspace } from './shared-state.ts';

/** One file or folder of a workspace: `name` in the opened host folder `folder`. */
export interface Place {
  readonly folder: string;
  readonly name: string;
  /** The guest path of the folder, and of the file itself. */
  readonly within: string;
  readonly path: string;
}

/** Converts guest paths of one workspace to places on the host. */
export interface Places {
  /** Returns the parts of a guest path with their names on the disk. Raises `FILE_ERROR` for a path outside the workspace. */
  partsOf(path: string): string[];
  /** Opens the folder that contains a path while `work` runs. Raises `FILE_ERROR`. */
  at<T>(path: string, work: (place: Place) => Promise<T>): Promise<T>;
  /** Raises `EEXIST` when the folder contains a name that is easily confused with the place's name, except `own`. */
  refuseTwin(place: Place, own?: string): Promise<void>;
  /** Refuses the twins of several places in one folder. */
  refuseTwins(places: readonly Place[]): Promise<void>;
}

/** Creates the places of the workspace in `root`, which guests see as `/<mount>`. */
export function placesIn(root: string, mount: string, shared: SharedWorkspace): Places {
  const partsOf = (path: string): string[] => {
    const [first = '', ...rest] = parseGuestPath(path);
    if (first !== mount) throw fileError('EACCES', `${guestPath([first, ...rest])} is outside of /${mount}.`);
    return [first, ...rest.map(diskName)];
  };
  const refuseTwins = async (places: readonly Place[], own?: string): Promise<void> => {
    const [first] = places;
    if (!first) return;
    const names = places.map(({ name }) => name);
    const twins = await shared.names.twins(first.within, first.folder, names);
    for (const [index, { name, path }] of places.entries()) {
      const twin = twins[index];
      if (twin === undefined || twin === name || twin === own) continue;
      throw fileError('EEXIST', `${path} is too similar to the existing name ${JSON.stringify(twin)}. Use that name.`);
    }
  };
  return {
    partsOf,
    async at(path, work) {
      const parts = partsOf(path);
      const name = parts.at(-1) ?? '';
      if (parts.length === 1) throw fileError('EISDIR', `${guestPath(parts)} is a folder.`);
      await shared.prepare();
      const within = parts.slice(0, -1);
      return inFolder(root, within, (folder) =>
        work({ folder, name, within: guestPath(within), path: guestPath(parts) }),
      ).catch((error) => {
        throw toFileError(error, guestPath(parts));
      });
    },
    refuseTwin: (place, own) => refuseTwins([place], own),
    refuseTwins,
  };
}
