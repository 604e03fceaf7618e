import { describe, expect, it } from 'vitest';
import { readCatalog, readQueries } from '../../../../../../test/catalogs.ts';
import { needsData } from '../../../../../../test/data.ts';
import { countTokens } from '../../../telemetry/tokenizer.ts';
import { TYPESCRIPT_WRITER } from '../../signatures/typescript/writer.ts';
import { createToolIndex, type ToolMatch } from '../tool-index.ts';
import { searchAnswer } from './answer.ts';
import { searchHit } from './hit.ts';
import { fitHits, HIT_TOKENS } from './token-budget.ts';

function tool(name: string, parameters: number): ToolMatch {
  const names = Array.from({ length: parameters }, (_, index) => [`parameter_${index}`, { type: 'string' }]);
  const definition = {
    name,
    description:
      'Does something that takes more than twelve words to tell of, as some descriptions do in their first line.',
    inputSchema: { type: 'object', properties: Object.fromEntries(names), required: ['parameter_0'] },
  };
  return { tool: { id: `s__${name}`, server: 's', definition }, score: 1, coverage: 1 };
}

const show = (match: ToolMatch, brief: boolean) => searchHit(match, TYPESCRIPT_WRITER, { brief });

describe('fitHits', () => {
  it('shows hits in full when they fit', async () => {
    const matches = [tool('a', 1), tool('b', 2)];
    expect(await fitHits(matches, show)).toEqual(matches.map((match) => show(match, false)));
  });

  it('shortens the last hits first, and always keeps required parameters', async () => {
    const matches = ['a', 'b', 'c', 'd', 'e'].map((name) => tool(name, 6));
    const hits = await fitHits(matches, show);
    expect(hits[0]).toEqual(show(matches[0] as ToolMatch, false));
    expect(hits[4]?.signature).toMatch(/^servers\.s\.e\(\{parameter_0: string, .*\/\* \+\d optional \*\/\}\)$/);
    expect(hits[4]?.description.endsWith('…')).toBe(true);
    const { text } = await searchAnswer(hits, undefined);
    expect(countTokens(text)).toBeLessThanOrEqual(HIT_TOKENS * 5);
  });

  needsData.it('keeps the answers to real queries within their token limit', async () => {
    const index = createToolIndex();
    for (const { server, tools } of readCatalog('livemcpbench')) index.set(server, { tools });
    const counts: number[] = [];
    for (const { query } of readQueries('live_step')) {
      const hits = await fitHits(index.search(query), show);
      counts.push(countTokens((await searchAnswer(hits, undefined)).text));
    }
    expect(counts.filter((count) => count > HIT_TOKENS * 5).length / counts.length).toBeLessThan(0.05);
  });
});
