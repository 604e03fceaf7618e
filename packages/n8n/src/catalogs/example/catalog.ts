import type { CatalogContent } from '../description.ts';
import { APPS, CREDENTIALS } from './apps.ts';
import { CORE } from './core.ts';
import { TRIGGERS } from './triggers.ts';

/**
 * A catalog of a few common nodes, written for this package: enough for tests and for a first try, not for real
 * workflows. n8n's own catalog is never part of this package; `toolwright n8n sync` fetches it.
 */
export const EXAMPLE_CATALOG: CatalogContent = {
  version: '2.8.4',
  nodes: [...TRIGGERS, ...CORE, ...APPS],
  credentials: CREDENTIALS,
};
