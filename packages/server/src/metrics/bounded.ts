/** What stands for all values of a label that came after the bound was reached. */
export const OTHER = 'other';

/** Keeps the values of a label few, however many there are: the first `max` stay, those after them are `other`. */
export function boundedLabel(max: number): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= max) return OTHER;
    seen.add(value);
    return value;
  };
}
