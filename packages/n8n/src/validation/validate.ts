import type { NodeCatalog } from '../catalogs/catalog.ts';
import type { Level, Validation } from './finding.ts';
import { readGraph } from './graph.ts';
import { lintFindings } from './lint.ts';
import { publishFindings } from './publish.ts';
import type { InstanceFacts } from './subworkflows.ts';
import { readWorkflow } from './workflow.ts';

/** What {@link validateWorkflow} is told beside the workflow. */
export interface ValidateOptions extends InstanceFacts {
  /** `publish`: what n8n refuses. `lint`, the default: also what it accepts and what fails or does nothing. */
  readonly level?: Level | undefined;
}

/**
 * Checks a workflow against a catalogue without running any of it. Errors are what n8n refuses and, at level `lint`, cycles
 * without an exit, which hang n8n; warnings are all else. Raises `INVALID_ARGUMENTS` and `ARGUMENTS_TOO_LARGE` for what is
 * no workflow.
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
