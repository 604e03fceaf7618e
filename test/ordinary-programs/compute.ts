import { createHash } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import type { LanguageName } from '../../packages/sandbox/src/index.ts';
import { createToolwright } from '../../packages/toolwright/src/index.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ANNOUNCED, AS_WRITTEN } from '../fixtures/ordinary-programs/as-written.ts';
import { OPERATIONS_ON_VALUES, TRANSFORM_PROGRAMS } from '../fixtures/ordinary-programs/transforms.ts';
import { shortForm } from '../fixtures/short-form.ts';

const PEOPLE = [
  ['Ann Smith', 'Ann.Smith@X.com', '+1 415 555 0134', '1984-03-17', '532-48-1973', 536904399, '4539 1488 0343 6467'],
  ['Zoë van Dyk', 'zoe@gmail.com', '(212) 555-0187', '1971-11-02', '536-90-4399', 532481973, '4111 1111 1111 1111'],
  ['Bob Jones', 'bob@y.org', '+49 30 901820', '1990-07-30', '219-09-9999', 219099999, '5555 5555 5555 4444'],
].map(([name, email, phone, born, ssn, taxNumber, card], index) => ({
  id: index + 1,
  ...{ name, email, phone, born, ssn, card },
  tax_number: taxNumber,
  api_key: `${index === 1 ? 'sk_test_' : 'sk_live_'}4eC39HqLyjWDarjtT1zdp7d${index}`,
  iban: ['DE89370400440532013000', 'ES9121000418450200051332', 'GB29NWBK60161331926819'][index],
  amount: `€ ${index}12.50`,
}));
/** Rules that show the author everything, so that answers can be compared. */
const SHOWN = { SSN: 'allow', CREDIT_CARD: 'allow', SECRET: 'allow', NATIONAL_ID: 'allow', PASSPORT: 'allow' } as const;
const ACCOUNTS = PEOPLE.map(({ email, phone, ssn }, index) => ({
  login: String(email).toUpperCase(),
  mobile: String(phone).replaceAll(/[ ()-]/g, ''),
  tax_ssn: index === 0 ? String(ssn).replaceAll('-', '') : ssn,
  balance: 100 * index,
}));
const LOAD: Readonly<Record<LanguageName, (expression: string) => string>> = {
  typescript: (rest) =>
    `const people = await callMCPTool('crm__people', {}); const accounts = await callMCPTool('bank__accounts', {});\n${rest}`,
  python: (rest) =>
    `people = await call_mcp_tool('crm__people', {})\naccounts = await call_mcp_tool('bank__accounts', {})\nresult = ${rest}`,
};

/** Expressions of one program. */
const TOGETHER = 6;

async function open(sandbox: string, mode: 'placeholders' | 'off') {
  const sent: unknown[] = [];
  const readOnly = { annotations: { readOnlyHint: true } };
  const toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox,
    pii: { mode, policy: { tools: { user: SHOWN } } },
    limits: { timeoutMs: 60_000 },
    tools: {
      crm: { tools: { people: { run: () => PEOPLE, ...readOnly } } },
      bank: { tools: { accounts: { run: () => ACCOUNTS, ...readOnly } } },
      outbox: { tools: { send: { run: (args: unknown) => sent.push(args) > 0 } } },
    },
  });
  const run = async (language: LanguageName, source: string, sessionId: string) => {
    sent.length = 0;
    const { logs, ...result } = await toolwright.execute(source, {
      language,
      sessionId,
      userId: sessionId,
      createSession: true,
    });
    const value = result.status === 'completed' ? result.value : undefined;
    return {
      status: result.status,
      value: await toolwright.pii.restore(JSON.parse(JSON.stringify(value ?? null)), { sessionId, userId: sessionId }),
      // Calls at once have no order.
      sent: structuredClone(sent).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      isAnnounced: result.status !== 'completed' || logs.some(({ level }) => level === 'warn'),
      // The host reports the expressions that it computed.
      logs: logs.filter(({ text }) => !text.startsWith('The host computed with')),
    };
  };
  return { run, close: toolwright.close };
}

function programs(languages: readonly LanguageName[]) {
  const transforms = TRANSFORM_PROGRAMS.map(([name, typescript, python]) => ({ name, typescript, python }));
  const all = {
    transforms: languages.flatMap((language) =>
      transforms.map((one) => [language, one.name, LOAD[language](one[language])] as const),
    ),
    operations: OPERATIONS_ON_VALUES.filter(([language]) => languages.includes(language)).flatMap(
      ([language, expressions]) =>
        expressions.map(
          (text) => [language, text, LOAD[language](language === 'python' ? text : `return ${text};`)] as const,
        ),
    ),
    asWritten: languages.flatMap((language) => together(language, AS_WRITTEN[language])),
    announced: expressions(languages, ANNOUNCED),
  };
  return {
    transforms: shortForm(all.transforms, 4),
    operations: shortForm([...all.operations, ...all.announced], 12),
    asWritten: shortForm(all.asWritten, 6),
  };
}

/** Returns programs with some of the expressions each. */
function together(language: LanguageName, texts: readonly string[]) {
  const starts = texts.flatMap((_, index) => (index % TOGETHER === 0 ? [index] : []));
  return starts.map((start) => {
    const list = `[${texts.slice(start, start + TOGETHER).join(', ')}]`;
    return [language, list, LOAD[language](language === 'python' ? list : `return ${list};`)] as const;
  });
}

function expressions(languages: readonly LanguageName[], texts: typeof AS_WRITTEN) {
  return languages.flatMap((language) =>
    texts[language].map(
      (text) => [language, text, LOAD[language](language === 'python' ? text : `return ${text};`)] as const,
    ),
  );
}

/** Tests that expressions have the answer of the values, in one language and sandbox. */
export function testComputed(sandbox: string, ofLanguage: LanguageName): void {
  const both = Promise.all([open(sandbox, 'placeholders'), open(sandbox, 'off')]);
  afterAll(async () => Promise.all((await both).map(({ close }) => close())));
  const { transforms, operations, asWritten } = programs([ofLanguage]);
  const sessionOf = (language: string, name: string) =>
    `${language}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
  /** Returns the answers with placeholders and with values, which run at once. */
  const answersOf = async (language: LanguageName, name: string, source: string) => {
    const [withPlaceholders, withValues] = await both;
    const session = sessionOf(language, name);
    return Promise.all([withPlaceholders.run(language, source, session), withValues.run(language, source, session)]);
  };
  it.each([...transforms, ...asWritten])(
    '%s: %s has the answer and the calls of the values',
    async (language, name, source) => {
      const [actual, expected] = await answersOf(language, name, source);
      expect(expected).toMatchObject({ status: 'completed', logs: [] });
      expect(actual).toEqual(expected);
    },
  );
  it.each(operations)('%s: %s has the answer of the values, or is announced', async (language, name, source) => {
    const [{ value, isAnnounced, logs }, expected] = await answersOf(language, name, source);
    expect(expected).toMatchObject({ status: 'completed' });
    if (!isAnnounced) expect(value, JSON.stringify(logs)).toEqual(expected.value);
  });
}
