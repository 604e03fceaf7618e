/** A value that needs a placeholder. */
export interface FoundValue {
  readonly type: string;
  readonly text: string;
  /** Set for a JSON number; `text` is then its decimal form. */
  readonly numeric?: boolean;
}
