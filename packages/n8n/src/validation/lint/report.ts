import type { NodeCatalog } from '../../catalogs/catalog.ts';
import type { Finding } from '../finding.ts';
import type { Graph } from '../graph.ts';
import type { CheckedNode } from '../publish.ts';
import type { Workflow } from '../workflow.ts';

/** The input of a lint rule. */
export interface Linted {
  readonly workflow: Workflow;
  readonly graph: Graph;
  /** Nodes with a known type and version. */
  readonly checked: readonly CheckedNode[];
  readonly byName: ReadonlyMap<string, CheckedNode>;
  readonly catalog: NodeCatalog;
}

/** Reports one kind of mistake that n8n accepts. */
export type LintRule = (linted: Linted) => Finding[];
