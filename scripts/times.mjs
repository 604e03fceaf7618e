// Prints where the time of the last test runs went: the sum of each project, and its slowest files.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lanes.mjs';

const FILE = join(ROOT, 'node_modules/.cache/toolwright/test-times.json');
const SHOWN = 12;

if (!existsSync(FILE)) throw new Error('No test has run in this folder yet: run npm test first.');
const projects = new Map();
for (const [path, { project, ms }] of Object.entries(JSON.parse(readFileSync(FILE, 'utf8')))) {
  projects.set(project, [...(projects.get(project) ?? []), { path, seconds: ms / 1_000 }]);
}
for (const [project, files] of projects) {
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(`${project}: ${total.toFixed(0)} s in ${files.length} files`);
  for (const { path, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN))
    console.log(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
}
