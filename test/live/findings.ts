import { expect, it } from 'vitest';
import type { Validation } from '../../packages/n8n/src/validation/finding.ts';
import { serverOf } from '../fixtures/n8n-instance.ts';
import { CATALOG_FILE, needsCatalog } from '../n8n/templates.ts';
import { startAnswers } from './answers.ts';
import type { LiveN8n } from './instance.ts';
import { ADDRESS, ITEMS, SMALL_WORKFLOWS } from './mistakes.ts';

/** The share of failed runs with a finding before. */
const MIN_FOUND = 0.85;
const POLICY = { write: true, allow: ['activate:test', 'execute:test'] };

interface Row {
  readonly name: string;
  readonly isSilent: boolean;
  readonly status: string;
  readonly found: readonly string[];
}

/** Compares the findings about small workflows with runs of them on a running n8n. */
export function describeFindings(instance: () => LiveN8n): void {
  needsCatalog.describe('findings about small workflows', () => {
    it('are those of the runs that fail', async () => {
      const { url, apiKey } = instance();
      const workflows = serverOf({ url, apiKey, catalog: CATALOG_FILE, policy: POLICY });
      const address = await startAnswers();
      const rows: Row[] = [];
      for (const [name, { nodes, connections, isSilent = false }] of Object.entries(SMALL_WORKFLOWS)) {
        const list = JSON.parse(JSON.stringify(nodes).replaceAll(ADDRESS, address)) as object[];
        const plan = { name, nodes: [{ type: 'manualTrigger', name: 'Start' }, ...list], connections };
        const workflow = (await workflows.call('buildWorkflow', plan)) as object;
        const { errors, warnings } = (await workflows.call('validateWorkflow', { workflow })) as Validation;
        // All of these start in the editor only.
        const found = [...errors, ...warnings].map(({ code }) => code).filter((code) => code !== 'NO_TRIGGER');
        const run = workflows.call('testWorkflow', { workflow, options: { input: ITEMS } }) as Promise<{
          status: string;
        }>;
        const status = await run.then(
          (done) => done.status,
          (error: Error) => error.message,
        );
        rows.push({ name, isSilent, status, found });
      }
      const failed = rows.filter(({ status }) => status !== 'success');
      const missed = failed.filter(({ found }) => found.length === 0);
      const good = rows.filter(({ status, isSilent }) => status === 'success' && !isSilent);
      const alarms = good.filter(({ found }) => found.length > 0);
      const named = (list: readonly Row[]) => list.map(({ name }) => name);
      console.info(
        `${rows.length} small workflows: ${failed.length} failed, ${missed.length} without a finding`,
        named(missed),
      );
      expect(1 - missed.length / failed.length).toBeGreaterThanOrEqual(MIN_FOUND);
      expect(named(alarms)).toEqual([]);
      expect(named(rows.filter(({ isSilent, found }) => isSilent && found.length === 0))).toEqual([]);
      expect(await workflows.call('listWorkflows', {})).toMatchObject({ workflows: [] });
    });
  });
}
