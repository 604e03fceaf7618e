/** The label value that replaces all values over the limit. */
export const OTHER = 'other';

/** Limits the values of a label: the first `max` values stay, and all later ones become `other`. */
export function boundedLabel(max: number): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= max) return OTHER;
    seen.add(value);
    return value;
  };
}
