/** The calls of a question that was shown. */
export interface ShownCalls {
  /** Numbers of the shown calls, and the bindings of their questions. */
  readonly calls: readonly number[];
  readonly bindings: readonly string[];
  /** The kind of the question, if it is no approval. */
  readonly kind?: string | undefined;
}

/** The part of a question that the client returns with the answer. It is signed, bound to the user, and readable. */
export interface ApprovalState extends ShownCalls {
  readonly executionId: string;
  /** Digest of the arguments of the tool call, which the retry repeats. */
  readonly request: string;
  /** Number of this question in the tool call, from 1. */
  readonly round: number;
  readonly sessionId?: string | undefined;
}
