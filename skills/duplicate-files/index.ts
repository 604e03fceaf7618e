import { filesBelow } from '/skills/files-below/index.js';

/** Returns the paths of equal text files, one list per content. */
export default async function duplicates({ path }: { path: string }): Promise<string[][]> {
  const paths = await filesBelow({ path });
  const byContent = new Map<string, string[]>();
  const contents = await Promise.all(
    paths.map(async (file) => (await servers.files.readTextFile({ path: file })).content),
  );
  for (const [index, content] of contents.entries()) {
    byContent.set(content, [...(byContent.get(content) ?? []), paths[index] ?? '']);
  }
  return [...byContent.values()].filter((same) => same.length > 1);
}
