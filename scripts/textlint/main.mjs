// Lints pages and prompts, and the messages in our source, by the rules of .textlintrc.json. Exits 1 on findings.
// node scripts/textlint/main.mjs [PATH...]: files or folders; without any, the whole repository.
import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pages, ROOT, sources } from './files.mjs';
import { createProseLinter } from './linter.mjs';

const everything = [...pages(), ...sources()].map((path) => resolve(ROOT, path));
const wanted = process.argv.slice(2).flatMap((argument) => {
  const path = resolve(argument);
  return statSync(path).isFile() ? [path] : everything.filter((file) => file.startsWith(`${path}/`));
});

const lint = await createProseLinter();
let count = 0;
for (const path of process.argv.length > 2 ? wanted : everything) {
  for (const { line, ruleId, message } of await lint(path, readFileSync(path, 'utf8'))) {
    console.log(`${relative(process.cwd(), path)}:${line}  ${message}  ${ruleId}`);
    count++;
  }
}
console.log(count === 0 ? 'The prose has no findings.' : `Findings: ${count}.`);
process.exitCode = count > 0 ? 1 : 0;
