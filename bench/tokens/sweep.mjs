// Finds the result size from which a program costs less than a call. The tasks read one file and count its lines.
import { repeat, seededRandom } from './random.mjs';
import { READ_FILE, read, textOf } from './tasks/task.mjs';
import { tokens } from './transcript.mjs';

const LINES = [2, 8, 16, 24, 40, 80, 250, 800, 2_500, 5_000];

/** Creates tasks with one result of about 40 to 100,000 tokens, and the files that they read. */
export function sweep() {
  const files = {};
  const tasks = LINES.map((count) => {
    const random = seededRandom(count);
    const path = `sweep/${count}.txt`;
    files[path] = repeat(
      count,
      () => `${random.pick(['ok', 'late', 'lost'])} parcel ${random.hex(8)} via ${random.pick(['Graz', 'Porto'])}`,
    ).join('\n');
    return sweepTask(path, tokens(files[path]));
  });
  return { tasks, files };
}

const lost = (text) => text.split('\n').filter((line) => line.startsWith('lost')).length;

function sweepTask(path, resultTokens) {
  return {
    id: `sweep ${resultTokens}`,
    resultTokens,
    prompt: `How many lines of ${path} start with "lost"?`,
    search: [READ_FILE],
    *direct() {
      const [file] = yield [read(path)];
      return lost(textOf(file));
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${path}"});
return content.split("\\n").filter((line) => line.startsWith("lost")).length;`;
    },
    formatAnswer: (count) => `${count} lines start with "lost".`,
    expected: ({ files }) => lost(files[path]),
  };
}

/** Interpolates the result size in tokens at which both arms cost the same; undefined if there is none. */
export function breakEven(points) {
  for (const [index, { resultTokens, S, C }] of points.entries()) {
    if (C > S) continue;
    const before = points[index - 1];
    if (!before) return resultTokens;
    const gap = before.C - before.S;
    return Math.round(before.resultTokens + ((resultTokens - before.resultTokens) * gap) / (gap + S - C));
  }
  return undefined;
}
