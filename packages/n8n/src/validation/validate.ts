import type { NodeCatalog } from '../catalogs/catalog.ts';
import { type Finding, type Level, type Validation, validationOf } from './finding.ts';
import { readGraph } from './graph.ts';
import { cycleFindings } from './lint/cycles.ts';
import { lintFindings } from './lint.ts';
import { byName, checkNodes, isEditorOnly, publishFindings } from './publish.ts';
import type { InstanceFacts } from './subworkflows.ts';
import type { Caller } from './syntax.ts';
import { withSyntax } from './syntax.ts';
import { readWorkflow } from './workflow.ts';

/** Options of {@link validateWorkflow}. */
export interface ValidateOptions extends InstanceFacts, Caller {
  /** `publish` reports problems that n8n rejects; `lint`, the default, also problems at execution. */
  readonly level?: Level | undefined;
}

/**
 * Checks a workflow against a catalog without running it. Errors are problems that n8n rejects and, at level `lint`, cycles
 * without an exit, which hang n8n. All other problems are warnings, at level `lint` also a manual trigger without another one. Raises `INVALID_ARGUMENTS` when the input is not a workflow
 * and `ARGUMENTS_TOO_LARGE` over `MAX_WORKFLOW_BYTES` or `MAX_NODES`. Lists at most `MAX_FINDINGS` errors and as many warnings. Expressions are read in language workers, so it may raise
 * `LANGUAGE_SERVICE_BUSY`.
 */
export async function validateWorkflow(
  input: unknown,
  catalog: NodeCatalog,
  options: ValidateOptions = {},
): Promise<Validation> {
  const workflow = readWorkflow(input);
  const graph = readGraph(workflow);
  const { findings, checked } = await withSyntax(options, (syntax) =>
    publishFindings({ workflow, graph, catalog, syntax }, options),
  );
  const publishable = findings.length === 0;
  if (options.level === 'publish') return validationOf({ valid: publishable, publishable }, findings, []);
  const linted = await lintFindings({ workflow, graph, checked, catalog }, options);
  const later = findings.filter((finding) => isEditorOnly(finding, workflow));
  const errors = [...findings.filter((finding) => !later.includes(finding)), ...linted.errors];
  return validationOf({ valid: errors.length === 0, publishable }, errors, [...later, ...linted.warnings]);
}

/** Returns the cycles of a workflow that hang n8n. Raises the errors of {@link validateWorkflow} for a wrong input. */
export function exitlessCycles(input: unknown, catalog: NodeCatalog): Finding[] {
  const workflow = readWorkflow(input);
  const { checked } = checkNodes(workflow, catalog);
  return cycleFindings({ workflow, graph: readGraph(workflow), checked, byName: byName(checked), catalog }).errors;
}
