/** The result of one check. */
export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  /** True for a part that Toolwright does not need. */
  readonly optional?: true;
  /** True for a part that works, but worse than it should. */
  readonly warning?: true;
  readonly text: string;
  /** The fix: what to install or change. */
  readonly fix?: string;
}
