import type { Files } from './files.ts';
import { guestPath, parseGuestPath } from './paths.ts';

/** Maximum number of recorded paths. With so many, others may have been changed too. */
export const MAX_CHANGED_PATHS = 100;

/** Wraps files and records the guest paths of all changes, in the order of the first change. */
export function recordChanges(files: Files): {
  readonly files: Files;
  changed(): string[];
  /** Records a path that was changed before. */
  note(path: string): void;
} {
  const { bulk } = files;
  const changed = new Set<string>();
  const note = (path: string) => {
    if (changed.size < MAX_CHANGED_PATHS) changed.add(guestPath(parseGuestPath(path)));
  };
  const noted =
    <Rest extends unknown[]>(change: (path: string, ...rest: Rest) => Promise<void>) =>
    async (path: string, ...rest: Rest) => {
      await change(path, ...rest);
      note(path);
    };
  return {
    changed: () => [...changed],
    note,
    files: {
      ...files,
      write: noted(files.write),
      remove: noted(files.remove),
      removeFolder: noted(files.removeFolder),
      async rename(from, to) {
        await files.rename(from, to);
        note(from);
        note(to);
      },
      bulk: bulk && {
        ...bulk,
        writeAll: (written) =>
          bulk.writeAll(written).finally(() => {
            for (const { path } of written) note(path);
          }),
        async removeAll(paths) {
          await bulk.removeAll(paths);
          paths.forEach(note);
        },
        async commit(owner, path, size, convert) {
          const entry = await bulk.commit(owner, path, size, convert);
          note(path);
          return entry;
        },
      },
    },
  };
}
