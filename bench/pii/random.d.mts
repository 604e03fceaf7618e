/** A seeded random number generator. */
export interface Random {
  next(): number;
  int(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  fill(form: string): string;
  chance(share: number): boolean;
}
export function random(seed: number): Random;
