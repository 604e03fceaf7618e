import { expect, it } from 'vitest';
import { validateWorkflow } from '../../packages/n8n/src/validation/validate.ts';
import { processorTime } from '../fixtures/processor-time.ts';
import { needsTemplates, openRealCatalog, readTemplates } from './templates.ts';

const MIN_AGREEMENT = 0.97;
const MIN_PRECISION = 0.98;
const MIN_RECALL = 0.96;
/** Median milliseconds of the processor for a validation; three times the goal. */
const MAX_MEDIAN_MS = 15;

needsTemplates.describe('real templates', () => {
  it('get the verdict of n8n 2.8.4', async () => {
    const catalog = openRealCatalog();
    const verdicts = await Promise.all(
      readTemplates().map(async ({ accepted, workflow }) => {
        const { publishable } = await validateWorkflow(workflow, catalog, { level: 'publish' });
        return { accepted, publishable };
      }),
    );
    const count = (accepted: boolean, publishable: boolean) =>
      verdicts.filter((verdict) => verdict.accepted === accepted && verdict.publishable === publishable).length;
    const refused = count(false, false);
    const right = verdicts.filter(({ accepted, publishable }) => accepted === publishable).length;
    console.info(`templates: ${right} of ${verdicts.length} verdicts are n8n's`);
    expect(verdicts.length).toBeGreaterThanOrEqual(90);
    expect(
      verdicts.filter(({ accepted, publishable }) => accepted === publishable).length / verdicts.length,
    ).toBeGreaterThanOrEqual(MIN_AGREEMENT);
    expect(refused / (refused + count(true, false))).toBeGreaterThanOrEqual(MIN_PRECISION);
    expect(refused / (refused + count(false, true))).toBeGreaterThanOrEqual(MIN_RECALL);
  });

  it('are errors at level lint only where they are at level publish', async () => {
    const catalog = openRealCatalog();
    const more: number[] = [];
    for (const { template, accepted, workflow } of readTemplates()) {
      if (accepted && !(await validateWorkflow(workflow, catalog)).valid) more.push(template);
    }
    expect(more).toEqual([]);
  });

  it(`are validated within ${MAX_MEDIAN_MS} ms at the median`, async () => {
    const catalog = openRealCatalog();
    const templates = readTemplates();
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (const { workflow } of templates) {
        const start = performance.now();
        const used = processorTime();
        await validateWorkflow(workflow, catalog);
        if (round > 0) times.push(Math.min(performance.now() - start, used()));
      }
    }
    times.sort((a, b) => a - b);
    console.info(`validation: ${times[Math.floor(times.length / 2)]?.toFixed(1)} ms in the middle`);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(MAX_MEDIAN_MS);
  });
});
