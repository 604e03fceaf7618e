import { ToolwrightError } from '@toolwright/core/errors';
import type { NodeCatalog } from '../catalogs/catalog.ts';
import { fetchJson, type Service } from '../fetch-json.ts';
import { isObject, type JsonObject } from '../json.ts';

/** A package of community nodes. */
export interface CommunityPackage {
  readonly package: string;
  readonly version: string;
  /** The licence that the package states, or `none`: without one, nobody but its authors may use it. */
  readonly license: string;
  readonly description: string;
  /** Whether n8n has verified the package. Known for the catalog of an instance only. */
  readonly isVerified?: boolean | undefined;
  /** The version on the instance. Known for the catalog of an instance only. */
  readonly installed?: string | undefined;
  /** Its node types on the instance, for getNodeEssentials and buildWorkflow. */
  readonly types?: readonly string[] | undefined;
}

const KEYWORD = 'n8n-community-node-package';
const MAX_DESCRIPTION_CHARS = 160;

/**
 * Searches the npm registry for packages of community nodes. It reads descriptions only, and downloads no package. Raises
 * `UPSTREAM_UNAVAILABLE`, and `UPSTREAM_PROTOCOL` for a registry without a search.
 */
export async function searchCommunityNodes(
  url: string,
  { query, limit }: { readonly query: string; readonly limit: number },
  catalog: NodeCatalog,
  signal?: AbortSignal,
): Promise<CommunityPackage[]> {
  const registry = { url, name: 'npm registry', setting: 'n8n.registryUrl' };
  const text = encodeURIComponent(`keywords:${KEYWORD} ${query}`);
  const found = await fetchJson(registry, `/-/v1/search?text=${text}&size=${limit}`, signal);
  if (!Array.isArray(found?.objects)) {
    const message = `The npm registry at ${url} has no search. Set n8n.registryUrl to one that has it.`;
    throw new ToolwrightError('UPSTREAM_PROTOCOL', message);
  }
  const hits = found.objects.flatMap((each: unknown) =>
    isObject(each) && isObject(each.package) ? [each.package] : [],
  );
  return Promise.all(hits.slice(0, limit).map((hit) => packageOf(hit, registry, catalog, signal)));
}

async function packageOf(
  hit: JsonObject,
  registry: Service,
  catalog: NodeCatalog,
  signal: AbortSignal | undefined,
): Promise<CommunityPackage> {
  const name = String(hit.name);
  // Older registries leave the licence out of the search.
  const manifest =
    hit.license === undefined ? await fetchJson(registry, `/${name.replace('/', '%2f')}/latest`, signal) : hit;
  const onInstance = catalog.community?.find((each) => each.name === name);
  const types = catalog.entries.map((entry) => entry.name).filter((type) => type.startsWith(`${name}.`));
  return {
    package: name,
    version: String(hit.version),
    license: licenseOf(manifest?.license),
    description: String(hit.description ?? '').slice(0, MAX_DESCRIPTION_CHARS),
    isVerified: catalog.community && onInstance?.isVerified === true,
    installed: onInstance?.installed,
    types: types.length > 0 ? types : undefined,
  };
}

/** Returns a licence as text. Old packages have an object. */
function licenseOf(license: unknown): string {
  const stated = isObject(license) ? license.type : license;
  return typeof stated === 'string' && stated !== '' ? stated : 'none';
}
