import type { NodeCatalog } from '../../catalogs/catalog.ts';
import type { Finding } from '../finding.ts';
import type { Graph } from '../graph.ts';
import type { CheckedNode } from '../publish.ts';
import type { Workflow } from '../workflow.ts';

/** Everything that a lint rule may look at. */
export interface Linted {
  readonly workflow: Workflow;
  readonly graph: Graph;
  /** Nodes whose type and version are known. */
  readonly checked: readonly CheckedNode[];
  readonly byName: ReadonlyMap<string, CheckedNode>;
  readonly catalog: NodeCatalog;
}

/** Looks for one kind of mistake that n8n accepts. */
export type LintRule = (linted: Linted) => Finding[];
