import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadAttacks } from './attacks/attack.ts';
import { groupAttacks, readOutcomes, securityTable } from './attacks/outcomes.ts';

const FOLDER = new URL('attacks/outcomes/', import.meta.url);
const SECURITY = new URL('../SECURITY.md', import.meta.url);
const TABLE = /^\| class \|(.*\n)+?(?!\|)/m;
/** The sandboxes in the order of the table. */
const ORDER = ['quickjs', 'jail', 'pyodide', 'docker', 'microsandbox'];

const attacks = await loadAttacks();
const pages = readdirSync(FOLDER)
  .map((file) => file.replace(/\.md$/, ''))
  .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
  .map((sandbox) => [sandbox, readOutcomes(readFileSync(new URL(`${sandbox}.md`, FOLDER), 'utf8'))] as const);

describe.each(pages)('the outcomes of the attacks on %s', (_sandbox, { held, names }) => {
  it('are those of the existing attacks, and all attacks were blocked', () => {
    const run = groupAttacks(attacks).filter(({ language, class: name }) => held.has(`${language} ${name}`));
    const languages = new Set(run.map(({ language }) => language));
    const expected = attacks.filter(({ language }) => languages.has(language));
    expect([...names].sort()).toEqual(expected.map(({ language, name }) => `${language} ${name}`).sort());
    for (const cell of held.values()) expect(cell).toMatch(/^(\d+) of \1$/);
  });
});

it('SECURITY.md shows these outcomes', () => {
  const text = readFileSync(SECURITY, 'utf8');
  const table = `${securityTable(attacks, new Map(pages.map(([sandbox, { held }]) => [sandbox, held])))}\n`;
  if (process.env.TOOLWRIGHT_WRITE_OUTCOMES === '1')
    writeFileSync(
      SECURITY,
      text.replace(TABLE, () => table),
    );
  else expect(text).toContain(table);
  for (const { class: name } of attacks) expect(table).toContain(`**${name}**`);
});
