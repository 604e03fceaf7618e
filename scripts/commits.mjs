// Checks the subjects of the commits since the last landing: Conventional Commits, at most 72 characters.
import { spawnSync } from 'node:child_process';
import { lastLanding, ROOT } from './lanes.mjs';

const MAX_CHARACTERS = 72;
const SUBJECT = /^(feat|fix|perf|refactor|docs|test|build|ci|chore|style|revert)(\([\w@/.-]+\))?!?: [^A-Z\s].*[^.]$/;

const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${lastLanding()}..HEAD`], {
  cwd: ROOT,
  encoding: 'utf8',
});
if (status !== 0) console.log(`Skipped: this clone lacks ${lastLanding()}, the last landed commit.`);
const wrong = stdout.split('\n').filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return line !== '' && (subject.length > MAX_CHARACTERS || !SUBJECT.test(subject));
});
for (const line of wrong)
  console.error(
    `${line}\n  Write "type(scope): imperative, lower case" in at most ${MAX_CHARACTERS} characters; the reason belongs in the body.`,
  );
process.exitCode = wrong.length > 0 ? 1 : 0;
