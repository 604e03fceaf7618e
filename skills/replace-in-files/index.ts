import { filesBelow } from '/skills/files-below/index.js';

/** Returns the files that have the text, with the number of times. Changes them only with `write`. */
export default async function replace({
  path,
  text,
  by,
  write = false,
}: {
  path: string;
  text: string;
  by: string;
  write?: boolean;
}): Promise<{ path: string; count: number }[]> {
  const changes: { path: string; count: number }[] = [];
  for (const file of await filesBelow({ path })) {
    const { content } = await servers.files.readTextFile({ path: file });
    const parts = content.split(text);
    if (parts.length === 1) continue;
    changes.push({ path: file, count: parts.length - 1 });
    if (write) await servers.files.writeFile({ path: file, content: parts.join(by) });
  }
  return changes;
}
