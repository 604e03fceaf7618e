/** The part of the log of Toolwright that this package writes. */
export interface Logger {
  warn(fields: object, message: string): void;
}
