import type { Tool } from '@toolwright/connectors';

/** A term of a query, weighted by its count in the query. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
  /** How rare the term is in the index; 0 for a term of every tool. */
  readonly rarity: number;
  /** Whether a tool of the catalog contains the term. */
  readonly isInCatalog: boolean;
}

/** The effect of earlier calls on the hits of one query. */
export interface Evidence {
  /** Scores to add, by tool id. They have the scale of the index: the weight of a term times its rarity. */
  readonly added: ReadonlyMap<string, number>;
  /** Returns the factor of a tool's score: 1 without evidence. */
  factor(tool: Tool): number;
}

/** Finds evidence in the earlier calls of a user. It must be fast: a search waits for it. */
export type Experience = (terms: readonly WeightedTerm[]) => Evidence;
