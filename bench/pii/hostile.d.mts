export const HOSTILE: Readonly<Record<string, string>>;
export function hostile(name: string, length: number): string;
