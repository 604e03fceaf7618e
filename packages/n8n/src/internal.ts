// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export { openCatalog } from './catalogs/folder.ts';
export { syncCatalog } from './catalogs/sync.ts';
export type { Finding, Level, Validation } from './validation/finding.ts';
export { validateWorkflow } from './validation/validate.ts';
