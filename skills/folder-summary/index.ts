import process, { type Group } from '/skills/data-processor/index.js';
import { filesBelow } from '/skills/files-below/index.js';

/** Returns the number of files, and a group per ending. */
export default async function summarize({ path }: { path: string }): Promise<{ files: number; endings: Group[] }> {
  const paths = await filesBelow({ path });
  const rows = paths.map((file) => ({ ending: /\.[^./]+$/.exec(file)?.[0] ?? '' }));
  return { files: paths.length, endings: process({ rows, groupBy: 'ending' }) };
}
