export const SECRET_FORMATS: readonly (readonly [rule: string, format: string])[];
export function secretOf(format: string, random: () => number): string;
