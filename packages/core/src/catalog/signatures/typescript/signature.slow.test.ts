import type { Tool } from '@toolwright/connectors';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { readCatalog } from '../../../../../../test/catalogs.ts';
import { needsData } from '../../../../../../test/data.ts';
import { processorTime } from '../../../../../../test/fixtures/processor-time.ts';
import { hostileTools } from '../../../../../../test/hostile-tools.ts';
import { toolSummary } from '../signature.ts';
import { toolSignature } from './signature.ts';

const MAX_HIT_TOKENS = 200;

function hitTokens(subject: Tool): number {
  return countTokens(`${toolSignature(subject)}\n  ${toolSummary(subject)}\n`, { disallowedSpecial: new Set() });
}

it('has one short line for hostile tools', () => {
  const used = processorTime();
  for (const hostile of hostileTools('s')) {
    expect(toolSignature(hostile)).not.toMatch(/[\n\r\u2028]/);
    if (hostile.id.length < 100) expect([hostile.id, hitTokens(hostile) <= 250]).toEqual([hostile.id, true]);
  }
  expect(used()).toBeLessThan(20_000);
});

needsData.it('has few tokens', () => {
  const tools = ['livemcpbench', 'github-mcp', 'toucan'].flatMap(readCatalog).flatMap(({ tools }) => tools);
  const tokens = tools.map(hitTokens).sort((a, b) => a - b);
  expect(tokens.reduce((sum, count) => sum + count, 0) / tokens.length).toBeLessThanOrEqual(45);
  expect(tokens[Math.floor(tokens.length * 0.95)]).toBeLessThanOrEqual(120);
  expect(tokens.at(-1)).toBeLessThanOrEqual(MAX_HIT_TOKENS);
});
