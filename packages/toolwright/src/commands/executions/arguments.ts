/** The arguments of `toolwright executions`. */
export interface ExecutionsArguments {
  /** `list`, or an action and the id of an execution. */
  readonly words: readonly string[];
  readonly json: boolean;
  readonly userId?: string;
  /** Number of a call. */
  readonly call?: number;
  /** Further calls that an approval covers. */
  readonly next?: number;
  /** The later calls that an approval covers: `exact`, `any` or the JSON text of a schema. */
  readonly always?: string;
  /** The end of such an approval. */
  readonly expires?: string;
  /** Whether an approval continues the execution. */
  readonly resumes?: boolean;
  readonly note?: string;
  readonly by?: string;
  /** JSON text of the result of a call that took effect. */
  readonly result?: string;
  readonly resend: boolean;
  readonly fail: boolean;
  /** Whether open questions are shown with real arguments. */
  readonly real: boolean;
  readonly status?: string;
  /** Executions that `list` prints. */
  readonly limit?: number;
  /** Number of the last call that a fork repeats. */
  readonly at?: number;
  /** Path of the program of a fork, or `-` for standard input. */
  readonly source?: string;
  /** JSON text of another answer to this call, or of the answer to a question of a server. */
  readonly answer?: string;
  readonly decline?: boolean;
  readonly cancel?: boolean;
  /** Path of an exported test. */
  readonly out?: string;
  /** Options of the commands that the output names, such as ` --user ann`. */
  readonly more: string;
  readonly signal?: AbortSignal;
}
