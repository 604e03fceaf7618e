import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { Level, Validation } from './finding.ts';
import { readGraph } from './graph.ts';
import { lintFindings } from './lint.ts';
import { publishFindings } from './publish.ts';
import type { InstanceFacts } from './subworkflows.ts';
import { readWorkflow } from './workflow.ts';

/** Options of {@link validateWorkflow}. */
export interface ValidateOptions extends InstanceFacts {
  /** `publish` reports problems that n8n rejects; `lint`, the default, also problems at execution. */
  readonly level?: Level | undefined;
}

/**
 * Checks a workflow against a catalog without running it. Errors are problems that n8n rejects and, at level `lint`, cycles
 * without an exit, which hang n8n. All other problems are warnings. Raises `INVALID_ARGUMENTS` when the input is not a workflow
 * and `ARGUMENTS_TOO_LARGE` over `MAX_WORKFLOW_BYTES`.
 */
export function validateWorkflow(input: unknown, catalog: NodeCatalog, options: ValidateOptions = {}): Validation {
  const workflow = readWorkflow(input);
  const graph = readGraph(workflow);
  const { findings, checked } = publishFindings(workflow, graph, catalog, options);
  const publishable = findings.length === 0;
  if (options.level === 'publish') return { valid: publishable, publishable, errors: findings, warnings: [] };
  const linted = lintFindings(workflow, graph, checked, catalog);
  const errors = [...findings, ...linted.errors];
  return { valid: errors.length === 0, publishable, errors, warnings: linted.warnings };
}
