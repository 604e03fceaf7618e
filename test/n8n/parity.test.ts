import { expect, it } from 'vitest';
import { validateWorkflow } from '../../packages/n8n/src/validation/validate.ts';
import { needsTemplates, openRealCatalog, readTemplates } from './templates.ts';

const MIN_AGREEMENT = 0.97;
const MIN_PRECISION = 0.98;
const MIN_RECALL = 0.96;
/** Median milliseconds of a validation; three times the goal, because the machine may be busy. */
const MAX_MEDIAN_MS = 15;

needsTemplates.describe('real templates', () => {
  it('get the verdict of n8n 2.8.4', () => {
    const catalog = openRealCatalog();
    const verdicts = readTemplates().map(({ template, accepted, workflow }) => ({
      template,
      accepted,
      publishable: validateWorkflow(workflow, catalog, { level: 'publish' }).publishable,
    }));
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

  it('are errors at level lint only where they are at level publish', () => {
    const catalog = openRealCatalog();
    const more = readTemplates().filter(
      ({ accepted, workflow }) => accepted && !validateWorkflow(workflow, catalog).valid,
    );
    expect(more.map(({ template }) => template)).toEqual([]);
  });

  it(`are validated within ${MAX_MEDIAN_MS} ms at the median`, () => {
    const catalog = openRealCatalog();
    const templates = readTemplates();
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (const { workflow } of templates) {
        const start = performance.now();
        validateWorkflow(workflow, catalog);
        if (round > 0) times.push(performance.now() - start);
      }
    }
    times.sort((a, b) => a - b);
    console.info(`validation: ${times[Math.floor(times.length / 2)]?.toFixed(1)} ms in the middle`);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(MAX_MEDIAN_MS);
  });
});
