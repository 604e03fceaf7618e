// The public benchmarks whose tasks are run, and the commit of each. Nothing of theirs is in this repository.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = [
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
  {
    set: 'dojo',
    title: 'AgentDojo, user tasks',
    folder: 'agentdojo',
    url: 'https://github.com/sequrity-ai/agentdojo',
    commit: '357c80dea9af34323f709c3505d9e6d224654c7e',
    packages: ['email-validator', 'requests'],
  },
];

/** A set of this repository, which needs no checkout: its results are those of a test. */
const EXAMPLE = { set: 'example', title: 'Example', folder: '.' };

/**
 * Returns the sources with these names, by default all public ones.
 * @throws Error for an unknown name
 */
export function chosenSources(names) {
  if (names === undefined) return SOURCES;
  const known = [...SOURCES, EXAMPLE];
  const unknown = names.find((name) => !known.some(({ set }) => set === name));
  if (unknown) throw new Error(`There is no set "${unknown}". These exist: ${known.map(({ set }) => set).join(', ')}`);
  return known.filter(({ set }) => names.includes(set));
}

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

/** Returns the commit of a checkout, and a problem: the checkout is missing, or differs from that of the published figures. */
export function openCheckout({ commit, folder: name }, folder) {
  if (commit === undefined) return { commit: 'none' };
  const checkout = join(folder, name);
  if (!existsSync(checkout)) return { isMissing: true, problem: `there is no ${name} in ${folder}` };
  if (!existsSync(join(checkout, '.git')))
    return { commit: 'unknown', problem: `${name} is no checkout of git, so its commit is not known` };
  const found = execFileSync('git', ['-C', checkout, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  if (found === commit) return { commit };
  return { commit: found, problem: `${name} is at ${found}, and the published figures are of ${commit}` };
}
