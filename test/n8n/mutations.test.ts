import { expect, it } from 'vitest';
import type { Finding } from '../../packages/n8n/src/validation/finding.ts';
import { validateWorkflow } from '../../packages/n8n/src/validation/validate.ts';
import { MUTATIONS, type Raw } from './mutants.ts';
import { needsTemplates, openRealCatalog, readTemplates } from './templates.ts';

const MIN_FOUND = 0.97;
/** Fewer mutants would prove nothing. */
const MIN_MUTANTS = 30;
/** Tested mutants of one template, spread over all its mutants. */
const MAX_EACH = 12;

needsTemplates.describe('mistakes in templates that n8n accepts', () => {
  it.each(Object.entries(MUTATIONS))('are found when %s', async (what, mutate) => {
    const catalog = openRealCatalog();
    let made = 0;
    const missed: number[] = [];
    for (const { template, accepted, workflow } of readTemplates()) {
      if (!accepted) continue;
      const unmutated = await validateWorkflow(workflow, catalog);
      expect(unmutated.errors, `template ${template}`).toEqual([]);
      const before = keysOf(unmutated);
      const mutants = mutate(workflow as Raw, catalog);
      const step = Math.max(1, mutants.length / MAX_EACH);
      for (let at = 0; at < mutants.length; at += step) {
        const mutant = mutants[Math.floor(at)];
        made++;
        const after = keysOf(await validateWorkflow(mutant, catalog));
        if ([...after].every((key) => before.has(key))) missed.push(template);
      }
    }
    console.info(`${what}: ${made - missed.length} of ${made} found`);
    expect(made).toBeGreaterThanOrEqual(MIN_MUTANTS);
    expect(1 - missed.length / made, `missed in ${missed.slice(0, 20).join(', ')}`).toBeGreaterThanOrEqual(MIN_FOUND);
  });
});

function keysOf({ errors, warnings }: { errors: readonly Finding[]; warnings: readonly Finding[] }): Set<string> {
  return new Set([...errors, ...warnings].map(({ code, node, path }) => `${code} ${node} ${path}`));
}
