import { afterAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../packages/core/src/telemetry/tokens.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { executionResponse } from '../../packages/server/src/agent/loop/tool-response.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { missingSandbox } from '../fixtures/needs.ts';
import { PYTHON } from './unseen/python.ts';
import type { Row } from './unseen/row.ts';
import { UNSEEN_TOOLS } from './unseen/tools.ts';
import { TYPESCRIPT } from './unseen/typescript.ts';

/** Tokens (o200k_base) of the longest answer. */
const MAX_TOKENS = 140;

const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  tools: UNSEEN_TOOLS,
  pii: { mode: 'off' },
});
const count = await loadTokenizer();
const pythonSandbox = missingSandbox(await probeJail()) ? ('pyodide' as const) : ('jail' as const);
afterAll(() => toolwright.close());

describe.each([
  ['typescript', 'quickjs', TYPESCRIPT],
  ['python', pythonSandbox, PYTHON],
] as const)('a program in %s with a mistake of a model', (language, sandbox, rows) => {
  const run = (source: string) => toolwright.execute(source, { language, sandbox });

  it.each(rows.map((row) => [row.source, row] as const))('%s', async (_source, row: Row) => {
    const { text } = executionResponse(await run(row.source));
    for (const said of row.says) expect(text).toContain(said);
    expect(count(text)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(await run(row.repaired)).toMatchObject({ status: 'completed', value: row.value });
  });
});

it('there are at least 60 programs', () => {
  expect(TYPESCRIPT.length + PYTHON.length).toBeGreaterThanOrEqual(60);
});
