import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leaksIn } from '../fixtures/people.ts';
import { collectCommands } from '../fixtures/positions/commands.ts';
import { collectHttp } from '../fixtures/positions/http.ts';
import { collectMcp } from '../fixtures/positions/mcp.ts';
import { POSITIONS } from '../fixtures/positions/names.ts';
import { collectPrograms } from '../fixtures/positions/programs.ts';
import { collectFiles, collectTasks, collectTraces } from '../fixtures/positions/rest.ts';
import { openSite, type Site } from '../fixtures/positions/site.ts';
import { recordTraces } from '../fixtures/traces.ts';

/** Programs that receive the values are in the long form: `personal-data.test.ts` has their most important positions. */
const MODES = process.env.TOOLWRIGHT_SUITE === 'all' ? [false, true] : [false];

describe.each(MODES)('values of real servers, clear for programs: %s', (isClear) => {
  const positions = new Map<string, string>();
  let site: Site;
  beforeAll(async () => {
    const put = (position: string, value: unknown) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      positions.set(position, `${positions.get(position) ?? ''}\n${text}`);
    };
    const traces = recordTraces();
    site = await openSite({ isClear });
    const made = await collectPrograms(site, put);
    await collectMcp(site, put);
    await collectHttp(site, made, put);
    await collectCommands(site, made, put);
    await collectTasks(site, put);
    collectTraces(traces, put);
    await traces.stop();
    for (const line of site.logged) put('log', line);
    for (const line of site.rawLogged) put('log of an embedding program', line);
    collectFiles(site, put);
  }, 450_000);
  afterAll(() => site.close());

  test('no position has a value in any form', () => {
    const found = [...positions].flatMap(([position, text]) =>
      leaksIn(text, site.people).map((value) => `${position}: ${value}`),
    );
    expect(found).toEqual([]);
  });

  test.skipIf(isClear)('every position was reached, and had a value: it shows a placeholder', () => {
    expect(POSITIONS.length).toBeGreaterThanOrEqual(90);
    const isReached = (position: string) => /\[~?[A-Z][A-Z_]+(?:_\d+)?\]/.test(positions.get(position) ?? '');
    expect(POSITIONS.filter((position) => !isReached(position))).toEqual([]);
  });
});
