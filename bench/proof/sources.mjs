// The public benchmarks whose tasks are run, and the commit of each. Nothing of theirs is in this repository.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const SOURCES = [
  {
    set: 'tau2',
    title: 'tau2-bench, retail',
    folder: 'tau2-bench',
    url: 'https://github.com/sierra-research/tau2-bench',
    commit: 'a2c024725189473d2d7cea3a5cfdbcc67478e41f',
    packages: ['pydantic', 'loguru', 'toml', 'pyyaml', 'deepdiff', 'docstring_parser', 'python-dotenv', 'rich'],
  },
  {
    set: 'bfcl',
    title: 'BFCL v4, multi-turn',
    folder: 'gorilla',
    url: 'https://github.com/ShishirPatil/gorilla',
    commit: '6ea57973c7a6097fd7c5915698c54c17c5b1b6c8',
    packages: ['mpmath'],
  },
  {
    set: 'mcpagentbench',
    title: 'MCPAgentBench',
    folder: 'MCPAgentBench',
    url: 'https://github.com/zixianglhhh/MCPAgentBench',
    commit: '96cfaa607014cdd8d6083ceed781c1b8fc0ac7d1',
    packages: [],
  },
];

/** A set of this repository, which needs no checkout: its results are those of a test. */
export const EXAMPLE = { set: 'example', title: 'Example', folder: '.' };

/** Returns the commands that make the checkouts in a folder. */
export function cloneCommands(folder) {
  const clones = SOURCES.flatMap(({ url, commit, folder: name }) => [
    `git clone --filter=blob:none ${url} ${join(folder, name)}`,
    `git -C ${join(folder, name)} checkout ${commit}`,
  ]);
  const packages = [...new Set(SOURCES.flatMap((source) => source.packages))].sort();
  return [
    ...clones,
    `python3 -m venv ${join(folder, 'venv')}`,
    `${join(folder, 'venv/bin/pip')} install ${packages.join(' ')}`,
  ];
}

/** Returns why a checkout cannot be used, or how it differs; undefined if it is as expected. */
export function problemOf({ commit, folder: name }, folder) {
  if (commit === undefined) return undefined;
  const checkout = join(folder, name);
  if (!existsSync(checkout)) return { missing: true, text: `there is no ${name} in ${folder}` };
  if (!existsSync(join(checkout, '.git'))) return { text: `${name} is no checkout of git, so its commit is not known` };
  const found = execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  return found === commit ? undefined : { text: `${name} is at ${found}, and the published figures are of ${commit}` };
}
