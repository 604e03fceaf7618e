import { isObject, type JsonObject, objectOf } from '../../json.ts';

/** Keys of a workflow that an instance sets itself. */
const OF_INSTANCE = new Set(
  (
    'id active activeVersion activeVersionId createdAt homeProject isArchived meta parentFolder parentFolderId scopes ' +
    'shared sharedWithProjects triggerCount updatedAt usedCredentials versionCounter versionId'
  ).split(' '),
);
const MAX_LISTED = 20;

/**
 * Returns the paths of given values that the kept workflow does not have, such as `pinData` and `settings.binaryMode`: n8n's
 * API does not accept them. Undefined for none.
 */
export function droppedPaths(given: JsonObject, kept: JsonObject): string[] | undefined {
  const paths = [
    ...missingKeys(given, kept).filter((key) => !OF_INSTANCE.has(key)),
    ...missingKeys(objectOf(given.settings), objectOf(kept.settings)).map((key) => `settings.${key}`),
    ...missingInNodes(nodesOf(given), nodesOf(kept)),
  ];
  const more = paths.length - MAX_LISTED;
  if (more > 0) return [...paths.slice(0, MAX_LISTED), `… and ${more} more`];
  return paths.length > 0 ? paths : undefined;
}

function missingInNodes(given: readonly JsonObject[], kept: readonly JsonObject[]): string[] {
  const byName = new Map(kept.map((node) => [node.name, node]));
  return given.flatMap((node) => {
    const same = byName.get(node.name);
    if (same === undefined) return [];
    // The author's editor numbers nodes with cid.
    const keys = missingKeys(node, same).filter((key) => key !== 'cid');
    return keys.map((key) => `nodes[${JSON.stringify(node.name)}].${key}`);
  });
}

function missingKeys(given: JsonObject, kept: JsonObject): string[] {
  return Object.keys(given).filter((key) => !isEmpty(given[key]) && isEmpty(kept[key]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function nodesOf({ nodes }: JsonObject): JsonObject[] {
  return Array.isArray(nodes) ? nodes.filter(isObject) : [];
}
