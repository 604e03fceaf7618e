import type { NamedAttack } from './attack.ts';

/** A Markdown table of what became of the attacks, by class. */
export function outcomesTable(
  sandbox: string,
  attacks: readonly NamedAttack[],
  outcomes: ReadonlyMap<string, readonly string[]>,
): string {
  const classes = [...new Set(attacks.map((attack) => attack.class))];
  const rows = classes.map((name) => {
    const own = attacks.filter((attack) => attack.class === name);
    const held = own.filter((attack) => outcomes.get(attack.name)?.length === 0);
    const caught = own.filter(({ badSandbox }) => badSandbox === 'caught');
    const names = own.map((attack) => attack.name.slice(name.length + 1)).join(', ');
    return `| ${name} | ${own.length} | ${held.length} of ${own.length} held | ${caught.length} | ${names} |`;
  });
  return `# Outcomes of the attack suite

Written by \`TOOLWRIGHT_WRITE_OUTCOMES=1 npx vitest run test/attacks\`. "Proven by" counts the attacks that get through a
deliberately bad sandbox and are caught there by the same judge.

| class | attacks | ${sandbox} | proven by | names |
|---|---|---|---|---|
${rows.join('\n')}
| all | ${attacks.length} | ${[...outcomes.values()].filter((violations) => violations.length === 0).length} of ${attacks.length} held | ${attacks.filter(({ badSandbox }) => badSandbox === 'caught').length} | |
`;
}
