import type { OmittedTool } from '../../connector.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../../content/json-values.ts';
import type { ApiDocument } from '../description/document.ts';
import { DescriptionError, type SchemaStore } from '../schemas/schema-store.ts';
import { METHODS, type Method, type Operation } from './operation.ts';
import type { IsConfigured } from './parameters.ts';
import { readOperation } from './read-operation.ts';

/** The operations of a description, and those that are left out. */
interface Operations {
  readonly operations: readonly Operation[];
  readonly omitted: readonly OmittedTool[];
}

interface Found {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string | undefined;
}

/** Maximum operations of one description. */
const MAX_OPERATIONS = 10_000;

/** The parts of an operation that decide its name. */
interface NamedOperation {
  readonly method: Method;
  readonly path: string;
  readonly operationId: string | undefined;
}

const MAX_NAME_CHARACTERS = 128;

/** Reads all operations whose names are allowed. Leaves out those that cannot be called, with the reason. */
export function readOperations(
  document: ApiDocument,
  schemas: SchemaStore,
  options: { readonly isAllowed: (name: string) => boolean; readonly isConfigured: IsConfigured },
): Operations {
  const found = document.keys(['paths']).flatMap((path): Found[] => {
    const item = itemOf(path, document, schemas);
    return METHODS.filter((method) => isObject(item[method])).map((method) => {
      return { method, path, operationId: textOf(objectOf(item[method]).operationId) };
    });
  });
  if (found.length > MAX_OPERATIONS) {
    throw new DescriptionError(`it has ${found.length} operations, the limit is ${MAX_OPERATIONS}`);
  }
  const names = operationNames(found);
  const operations: Operation[] = [];
  const omitted: OmittedTool[] = [];
  let last: { readonly path: string; readonly item: JsonObject } | undefined;
  for (const [index, { method, path }] of found.entries()) {
    const name = names[index] ?? '';
    if (!options.isAllowed(name)) continue;
    if (last?.path !== path) last = { path, item: itemOf(path, document, schemas) };
    const { item } = last;
    try {
      const plan = readOperation({ method, path, item, document, schemas, isConfigured: options.isConfigured });
      const description = describe(objectOf(item[method]));
      const { server, output } = plan;
      const text = JSON.stringify(plan);
      operations.push({ name, method, description, hasOutput: output !== undefined, server, plan: text });
    } catch (error) {
      if (!(error instanceof DescriptionError || error instanceof RangeError)) throw error;
      omitted.push({ name, problem: error.message });
    }
  }
  return { operations, omitted };
}

function itemOf(path: string, document: ApiDocument, schemas: SchemaStore): JsonObject {
  const item = document.get(['paths', path]);
  try {
    return schemas.resolve(item);
  } catch (error) {
    if (error instanceof DescriptionError) throw new DescriptionError(`the path ${path}: ${error.message}`);
    throw error;
  }
}

function describe({ summary, description, deprecated }: JsonObject): string {
  const parts = [textOf(summary)?.trim(), textOf(description)?.trim()].filter((part) => part !== undefined);
  const [first, second] = parts;
  const texts = first !== undefined && second?.startsWith(first) ? [second] : parts;
  return [...(deprecated === true ? ['Deprecated.'] : []), ...texts].join('\n\n');
}

/**
 * Returns the name of each operation: its `operationId`, else its method and path. Operations with the same `operationId` all
 * get method and path as a suffix, so that another operation never takes over a name.
 */
function operationNames(operations: readonly NamedOperation[]): string[] {
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
    .slice(0, MAX_NAME_CHARACTERS);
}
