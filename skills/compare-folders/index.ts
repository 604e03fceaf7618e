import { filesBelow } from '/skills/files-below/index.js';

/** Returns the names of the files that differ. */
export default async function compare({ before, after }: { before: string; after: string }) {
  const [old, now] = await Promise.all([contentsOf(before), contentsOf(after)]);
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name)),
  };
}

async function contentsOf(folder: string): Promise<Map<string, string>> {
  const paths = await filesBelow({ path: folder });
  return new Map(
    await Promise.all(
      paths.map(
        async (path): Promise<[string, string]> => [
          path.slice(folder.length + 1),
          (await servers.files.readTextFile({ path })).content,
        ],
      ),
    ),
  );
}
