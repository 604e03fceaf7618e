// The results of a run in files, so that a later run goes on where it ended. Each variant of a set has a file, each task a line.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens the results of one variant. `about` names what was measured, as a text.
 * @throws Error if the file has results of something else
 */
export function openResults(folder, title, about) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${title.replaceAll(', ', '-').replaceAll(/[ /]/g, '-')}.jsonl`);
  const [first, ...lines] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [JSON.stringify(about)];
  if (first !== JSON.stringify(about))
    throw new Error(
      `${file} has results of ${first}, and this run measures ${JSON.stringify(about)}: use another folder`,
    );
  // The end of a run can cut its last line off.
  const results = lines.slice(0, -1).map((line) => JSON.parse(line));
  writeFileSync(file, [first, ...results.map((result) => JSON.stringify(result)), ''].join('\n'));
  const done = new Set(results.map(({ id }) => id));
  return {
    all: results,
    has: (id) => done.has(id),
    add(result) {
      results.push(result);
      done.add(result.id);
      appendFileSync(file, `${JSON.stringify(result)}\n`);
    },
  };
}
