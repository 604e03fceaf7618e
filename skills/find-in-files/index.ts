import { filesBelow } from '/skills/files-below/index.js';

const MAX_FOUND = 100;

/** Returns the lines with a text, in any case. */
export default async function find({ path, text, ending = '' }: { path: string; text: string; ending?: string }) {
  const paths = (await filesBelow({ path })).filter((file) => file.endsWith(ending));
  const files = await Promise.all(
    paths.map(async (file) => ({
      file,
      lines: (await servers.files.readTextFile({ path: file })).content.split('\n'),
    })),
  );
  return files
    .flatMap(({ file, lines }) => lines.map((line: string, index: number) => ({ path: file, number: index + 1, line })))
    .filter(({ line }) => line.toLowerCase().includes(text.toLowerCase()))
    .slice(0, MAX_FOUND);
}
