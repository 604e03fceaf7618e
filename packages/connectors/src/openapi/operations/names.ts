import type { Method } from './operation.ts';

/** The parts of an operation that decide its name. */
export interface NamedOperation {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string | undefined;
}

const MAX_CHARACTERS = 128;

/**
 * Returns the name of each operation: its `operationId`, else its method and path. Operations with the same `operationId` all
 * get method and path as a suffix, so that another operation never takes over a name.
 */
export function operationNames(operations: readonly NamedOperation[]): string[] {
  const wanted = operations.map(
    ({ operationId, method, path }) => plain(operationId ?? '') || plain(`${method} ${path}`),
  );
  const counts = new Map<string, number>();
  for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = operations.map(({ method, path }, index) => {
    const name = wanted[index] ?? '';
    return counts.get(name) === 1 ? name : plain(`${name} ${method} ${path}`);
  });
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

function plain(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_CHARACTERS);
}
