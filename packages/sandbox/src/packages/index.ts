// For the other @toolwright packages: resolving, building and opening the packages of programs.

export { type LockedLanguage, type LockedPackage, layerHash, lockHash, type PackageLock } from './lock.ts';
export {
  buildPackages,
  checkPackages,
  type OpenPackages,
  openPackages,
  type PackageModules,
  type PackageTypes,
  resolvePackages,
} from './packages.ts';
export { allRequests, type PackageRequests, PRESETS, readRequest } from './requests.ts';
export type { PackageSources } from './run-tool.ts';
