import { afterAll, describe, expect, test } from 'vitest';
import type { LanguageName } from '../../packages/sandbox/src/index.ts';
import { createToolwright } from '../../packages/toolwright/src/index.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { CONTACT_APIS, type ContactApi } from '../fixtures/contact-apis.ts';
import { PYTHON_PROGRAMS, TYPESCRIPT_PROGRAMS } from '../fixtures/contact-programs.ts';
import { shortForm } from '../fixtures/short-form.ts';

const sent: unknown[] = [];
const tools = {
  ...Object.fromEntries(
    CONTACT_APIS.map(({ server, tool, rows }) => [server, { tools: { [tool]: { run: () => rows } } }]),
  ),
  outbox: { tools: { send: { run: (message: unknown) => sent.push(message) } } },
};
const open = (mode: 'placeholders' | 'off') =>
  createToolwright({ dataDir: temporaryFolder(), tools, pii: { mode }, limits: { timeoutMs: 60_000 } });
const [withPlaceholders, withValues] = await Promise.all([open('placeholders'), open('off')]);
afterAll(() => Promise.all([withPlaceholders.close(), withValues.close()]));

/** Runs a program, and returns everything that its author and the tools see, with values in place of placeholders. */
async function run(toolwright: typeof withValues, source: string, language: LanguageName) {
  sent.length = 0;
  const result = await toolwright.execute(source, { language });
  const value = result.status === 'completed' ? await toolwright.pii.restore(result.value) : result.status;
  return { value, sent: structuredClone(sent), warnings: result.logs.filter(({ level }) => level === 'warn') };
}

async function expectSameOrWarning(source: string, language: LanguageName) {
  const expected = await run(withValues, source, language);
  const actual = await run(withPlaceholders, source, language);
  expect(expected.warnings).toEqual([]);
  if (actual.warnings.length > 0) return 'warned';
  expect([actual.value, actual.sent]).toEqual([expected.value, expected.sent]);
  return 'same';
}

/** Programs for which each API has to give the same answer. */
const SAME = [
  'finds a person by e-mail',
  'finds a person by name',
  'sends to all with orders',
  'joins with itself',
  'returns the best customer',
];

describe('an ordinary program gives the same answer with placeholders, or a warning', () => {
  const cases = (programs: Readonly<Record<string, (api: ContactApi) => string>>, apis: readonly ContactApi[]) =>
    Object.entries(programs).flatMap(([name, write]) => apis.map((api) => [name, api.server, write(api)] as const));

  test.each(shortForm(cases(TYPESCRIPT_PROGRAMS, CONTACT_APIS), 7))(
    'TypeScript: %s of %s',
    async (name, _server, source) => {
      const outcome = await expectSameOrWarning(source, 'typescript');
      if (SAME.includes(name)) expect(outcome).toBe('same');
    },
  );
  test.each(shortForm(cases(PYTHON_PROGRAMS, CONTACT_APIS.slice(0, 5)), 3))(
    'Python: %s of %s',
    async (_name, _server, source) => {
      await expectSameOrWarning(source, 'python');
    },
  );
});
