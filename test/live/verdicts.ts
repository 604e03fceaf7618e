import { expect, it } from 'vitest';
import { OWN_CONNECTION } from '../../packages/n8n/src/instances/client.ts';
import { validateWorkflow } from '../../packages/n8n/src/validation/validate.ts';
import { toBody } from '../../packages/n8n/src/workflows/body.ts';
import { MUTATIONS, type Raw } from '../n8n/mutants.ts';
import { needsTemplates, openRealCatalog, readTemplates } from '../n8n/templates.ts';
import { anyWorkflow, randomNumbers } from './generate.ts';
import type { LiveN8n } from './instance.ts';

const MIN_AGREEMENT = 0.97;
const MIN_PRECISION = 0.98;
const MIN_RECALL = 0.96;
/** Fewer refusals would prove nothing. */
const MIN_REFUSED = 50;
/** Mutants of one template and one kind. */
const MAX_EACH = 2;
const SEED = Number(process.env.TOOLWRIGHT_N8N_SEED ?? 20_260_101);

/** Compares the level `publish` with the verdict of a running n8n, on new workflows. */
export function describeVerdicts(instance: () => LiveN8n): void {
  needsTemplates.describe('verdicts of the real n8n', () => {
    it(`on generated workflows, one for each node type (seed ${SEED})`, async () => {
      const catalog = openRealCatalog();
      const random = randomNumbers(SEED);
      // Published triggers call the services that they wait for.
      const types = catalog.entries.filter(({ isTriggerLike, name }) => !isTriggerLike && !/Trigger$/.test(name));
      await compare(
        types.map(({ name }) => anyWorkflow(name, catalog, random)),
        instance(),
      );
    });

    it('on templates with one mistake each', async () => {
      const catalog = openRealCatalog();
      const accepted = readTemplates().filter((template) => template.accepted);
      const mutants = accepted.flatMap(({ workflow }) =>
        Object.values(MUTATIONS).flatMap((mutate) => mutate(workflow as Raw, catalog).slice(0, MAX_EACH)),
      );
      await compare(mutants, instance());
    });
  });
}

async function compare(workflows: readonly object[], n8n: LiveN8n): Promise<void> {
  const catalog = openRealCatalog();
  const counts = { refused: 0, accepted: 0, missed: 0, wrong: 0 };
  const differences: string[] = [];
  for (const workflow of workflows) {
    const body = toBody(workflow, catalog);
    const { publishable, errors } = await validateWorkflow(body, catalog, { level: 'publish' });
    const refusal = await publish(n8n, body);
    counts[refusal === undefined ? (publishable ? 'accepted' : 'wrong') : publishable ? 'missed' : 'refused']++;
    if (publishable !== (refusal === undefined)) differences.push(`${body.name}: ${refusal ?? errors[0]?.message}`);
  }
  const { refused, accepted, missed, wrong } = counts;
  const rates = {
    agreement: (refused + accepted) / workflows.length,
    precision: refused / (refused + wrong),
    recall: refused / (refused + missed),
  };
  console.info(JSON.stringify({ workflows: workflows.length, ...counts, ...rates }), differences.slice(0, 10));
  expect(refused).toBeGreaterThanOrEqual(MIN_REFUSED);
  expect(rates.agreement).toBeGreaterThanOrEqual(MIN_AGREEMENT);
  expect(rates.precision).toBeGreaterThanOrEqual(MIN_PRECISION);
  expect(rates.recall).toBeGreaterThanOrEqual(MIN_RECALL);
}

/** Creates, publishes and deletes a workflow. Returns the reason of a refusal; undefined without one. */
async function publish({ url, apiKey }: LiveN8n, body: object): Promise<string | undefined> {
  const send = async (
    method: string,
    path: string,
    sent?: object,
  ): Promise<{ ok: boolean; answer: Record<string, unknown> }> => {
    const answer = await fetch(`${url}/api/v1/workflows${path}`, {
      method,
      headers: { 'x-n8n-api-key': apiKey, 'content-type': 'application/json', ...OWN_CONNECTION },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    return { ok: answer.ok, answer: (await answer.json()) as Record<string, unknown> };
  };
  const created = await send('POST', '', body);
  if (!created.ok) return String(created.answer.message);
  const published = await send('POST', `/${created.answer.id}/activate`);
  await send('DELETE', `/${created.answer.id}`);
  return published.ok ? undefined : String(published.answer.message);
}
