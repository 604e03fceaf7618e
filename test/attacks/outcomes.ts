import type { NamedAttack } from './attack.ts';

/** Returns the file with the outcomes of the attacks on a sandbox. */
export function outcomesFile(sandbox: string): URL {
  return new URL(`outcomes/${sandbox}.md`, import.meta.url);
}

/** The attacks of one class in one language. */
export interface AttackGroup {
  readonly language: string;
  readonly class: string;
  readonly attacks: readonly NamedAttack[];
}

/** Groups attacks by language and class, in the order of their files. */
export function groupAttacks(attacks: readonly NamedAttack[]): readonly AttackGroup[] {
  const groups = new Map<string, NamedAttack[]>();
  for (const attack of attacks) {
    const key = `${attack.language} ${attack.class}`;
    groups.set(key, [...(groups.get(key) ?? []), attack]);
  }
  return [...groups].map(([key, own]) => {
    const [language = '', name = ''] = key.split(' ');
    return { language, class: name, attacks: own };
  });
}

/** Returns a page with the outcomes of the attacks on one sandbox. */
export function outcomesPage(
  sandbox: string,
  attacks: readonly NamedAttack[],
  outcomes: ReadonlyMap<NamedAttack, readonly string[]>,
): string {
  const held = ({ length }: readonly NamedAttack[], all: readonly NamedAttack[]) => `${length} of ${all.length}`;
  const isHeld = (attack: NamedAttack) => outcomes.get(attack)?.length === 0;
  const rows = groupAttacks(attacks).map(({ language, class: name, attacks: own }) => {
    const names = own.map((attack) => attack.name.slice(name.length + 1)).join(', ');
    return `| ${language} | ${name} | ${held(own.filter(isHeld), own)} | ${names} |`;
  });
  return `# Outcomes of the attacks on \`${sandbox}\`

Written by \`TOOLWRIGHT_WRITE_OUTCOMES=1 npx vitest run test/attacks/${sandbox}.test.ts\`. An attack counts as
held if it had no effect, both alone and together with seven other attacks.

| language | class | held | names |
|---|---|---|---|
${rows.join('\n')}
| all | | ${held(attacks.filter(isHeld), attacks)} | |
`;
}

/** The topic of each class of attacks, in the order of the table. */
const CLASSES: Readonly<Record<string, string>> = {
  escape: 'constructors, eval, frames, errors, proxies, objects of the runtime',
  globals: 'process, require, the modules of Node and of the engine',
  files: 'traversal, encodings, `/proc`, `/dev`, symbolic links, `/servers`',
  modules: 'URLs, traversal, shadowed and forged modules, breaking out of the wrapper',
  network: 'sockets of every family, name look-ups, loopback of the host',
  kernel: 'system calls, memory of other processes, devices, mounts, descriptors',
  processes: 'forks, daemons, signals, threads, tools of the system',
  bridge: 'forged operations, requests, errors, frames; see also the raw ones in `frames.test.ts`',
  channel: 'frames of many values, in single bytes, half, in number; descriptors; answers that are not read',
  bombs: 'memory, CPU, regular expressions, nesting, native crashes',
  floods: 'calls, logs, files, quota, searches',
  pollution: 'prototypes, built-in functions',
  late: 'work after the end',
  leaks: 'stacks, paths, seeds, old memory',
  state: 'effects of one execution on the next, of the same or another tenant',
};

/** The number of blocked attacks per language and class, in the form of an outcomes page. */
export type Held = ReadonlyMap<string, string>;

/** Reads an outcomes page. Maps `<language> <class>` to the cell with the blocked attacks, and to the names. */
export function readOutcomes(page: string): { readonly held: Held; readonly names: ReadonlySet<string> } {
  const rows = [...page.matchAll(/^\| (\w+) \| (\w+) \| (\d+ of \d+) \| (.*) \|$/gm)];
  const names = rows.flatMap(([, language, name, , own = '']) =>
    own.split(', ').map((attack) => `${language} ${name}-${attack}`),
  );
  return {
    held: new Map(rows.map(([, language, name, cell = '']) => [`${language} ${name}`, cell])),
    names: new Set(names),
  };
}

/** Returns the table of SECURITY.md: classes of attacks by sandboxes. */
export function securityTable(attacks: readonly NamedAttack[], bySandbox: ReadonlyMap<string, Held>): string {
  const groups = groupAttacks(attacks);
  const count = (own: readonly NamedAttack[]) =>
    ['typescript', 'python'].map((language) => own.filter((attack) => attack.language === language).length).join(' + ');
  const rows = Object.entries(CLASSES).map(([name, about]) => {
    const own = attacks.filter((attack) => attack.class === name);
    const cells = [...bySandbox.values()].map((held) =>
      sum(groups.map((g) => (g.class === name ? held.get(`${g.language} ${name}`) : undefined))),
    );
    return `| **${name}**: ${about} | ${[count(own), ...cells, count(own.filter(isProof))].join(' | ')} |`;
  });
  const sandboxes = [...bySandbox.keys()].map((name) => `\`${name}\``);
  const totals = [...bySandbox.values()].map((held) => sum([...held.values()]));
  return `| class | cases, TypeScript + Python | ${sandboxes.join(' | ')} | caught in a bad sandbox |
|---|---|${'---|'.repeat(sandboxes.length)}---|
${rows.join('\n')}
| all | ${[count(attacks), ...totals, count(attacks.filter(isProof))].join(' | ')} |`;
}

function isProof({ badSandbox }: NamedAttack): boolean {
  return badSandbox === 'caught';
}

/** Adds cells of the form "3 of 4". Attacks that a sandbox does not run have no cell. */
function sum(cells: readonly (string | undefined)[]): string {
  const numbers = cells.filter((cell) => cell !== undefined).map((cell) => cell.split(' of ').map(Number));
  const add = (index: number) => numbers.reduce((total, pair) => total + (pair[index] ?? 0), 0);
  return numbers.length === 0 ? '–' : `${add(0)} of ${add(1)}`;
}
