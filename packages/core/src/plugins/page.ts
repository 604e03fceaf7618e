import type { ExecutionCall } from '../execution/executions.ts';

/** A node of a {@link RecordedGraph}. Connections and problems refer to it by its name. */
export interface GraphNode {
  readonly name: string;
  readonly type: string;
  readonly typeVersion?: number | undefined;
  readonly disabled: boolean;
}

/** A connection between two nodes, by their names. */
export interface GraphConnection {
  readonly from: string;
  readonly to: string;
  /** `main` from step to step. A node with a connection of another type only is drawn below the other end. */
  readonly type: string;
  /** Number of the output among those of its type, from 0. */
  readonly output: number;
  readonly input: number;
}

/** A problem of a graph. */
export interface GraphProblem {
  readonly level: 'error' | 'warning';
  readonly code: string;
  /** Name of the node; absent for the graph as a whole. */
  readonly node?: string | undefined;
  readonly path?: string | undefined;
  readonly message: string;
  readonly fix: string;
}

/** A graph in the recorded calls of an execution. */
export interface RecordedGraph {
  /** Number of the first call with it. */
  readonly call: number;
  readonly at: string;
  readonly name: string;
  /** The actions of programs on it: `built`, `validated`. */
  readonly steps: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly connections: readonly GraphConnection[];
  /** All of them, also those that the lists leave out. */
  readonly nodeCount: number;
  readonly connectionCount: number;
  /** Absent for a graph that was not validated. */
  readonly problems?: readonly GraphProblem[] | undefined;
}

/**
 * A page of a plugin in the dashboard, with its routes: the graphs in the recorded calls of the plugin's tools. A page is data.
 * Code of a plugin never runs in the browser, which has the session of the person.
 */
export interface PluginPage {
  /** Its place in paths: lower-case letters, digits and hyphens. No two plugins may have the same one. */
  readonly key: string;
  readonly title: string;
  /** Shown while there are no graphs: how programs make them. */
  readonly emptyText: string;
  /** Ids of the tools whose calls have graphs. */
  readonly tools: readonly string[];
  /** Returns the graphs in the calls of an execution, oldest first. The texts of the calls are redacted. */
  graphs(calls: readonly ExecutionCall[]): readonly RecordedGraph[];
}
