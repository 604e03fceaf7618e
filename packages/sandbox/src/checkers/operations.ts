import type { CheckRequest } from './typescript/check.ts';
import { importsOf } from './typescript/outline.ts';

/** The operations of a language worker that check programs. Inputs and results are JSON. The compiler loads on demand. */
export const checkOperations = {
  typescriptImports: ({ source }: { readonly source: string }) => importsOf(source),
  typescriptCheck: async (request: CheckRequest) => (await import('./typescript/check.ts')).checkTypescript(request),
};

export type CheckOperations = typeof checkOperations;
