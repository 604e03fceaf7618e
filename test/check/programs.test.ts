import { afterAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../packages/core/src/telemetry/tokens.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { INVALID_PROGRAMS } from './invalid-programs.ts';
import { TOOLS } from './tools.ts';
import { VALID_PROGRAMS } from './valid-programs.ts';

const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'quickjs', tools: TOOLS });
const count = await loadTokenizer();
afterAll(() => toolwright.close());

describe('correct programs pass', () => {
  it.each(Object.entries(VALID_PROGRAMS))('%s', async (_name, source) => {
    expect(await toolwright.check(source)).toMatchObject({ status: 'passed' });
  });
});

describe('mistakes are reported in few words', () => {
  it.each(Object.entries(INVALID_PROGRAMS))('%s', async (_name, { source, line, expected }) => {
    const result = await toolwright.check(source);
    if (result.status !== 'failed') throw new Error(JSON.stringify(result));
    const { code, message, hint = '' } = result.error;
    expect({ code, line: result.error.line, text: `${message} ${hint}` }).toEqual({
      code: 'TYPE_ERROR',
      line,
      text: expect.stringMatching(expected),
    });
    expect(count(message) + count(hint)).toBeLessThanOrEqual(80);
  });
});
