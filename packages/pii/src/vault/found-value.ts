/** A value that needs a placeholder. */
export interface FoundValue {
  readonly type: string;
  readonly text: string;
  /** Set for a JSON number; `text` is then its decimal form. */
  readonly numeric?: boolean;
  /** The canonical text of a transformed value. Default: that of its type. */
  readonly canonical?: string;
}
