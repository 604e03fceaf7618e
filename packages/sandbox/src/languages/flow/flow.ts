/** The data and calls that can reach one value among the arguments of calls. */
export interface LeafFlow {
  /**
   * The tools whose answers can reach it, as data or through control flow. `?` is everything else that is no text of the program: files,
   * errors, results of unknown functions. Empty for a value that only the text of the program decides.
   */
  readonly from: readonly string[];
  /** Whether the value may be built from parts, decoded or computed, so that it is no unchanged field of an answer. */
  readonly isComputed: boolean;
}

/** A place in a program that calls a tool. */
export interface CallSite {
  /** The tool as the program names it. Undefined where it is computed: the place may call any tool. */
  readonly tool: string | undefined;
  /** By the path of the argument without places in lists: `to[].address`. The path `` is for all values that no longer path has. */
  readonly leaves: readonly (readonly [path: string, flow: LeafFlow])[];
}

/** The flow of data through a program. Undefined if its text does not show it: everything can reach each value then. */
export type ProgramFlow = readonly CallSite[] | undefined;
