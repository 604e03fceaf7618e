import { createHash } from 'node:crypto';

/** One package of a lock: an artefact with its hash. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** The licence as the package states it. */
  readonly license?: string | undefined;
  /** `sha256:…` of a wheel, or `sha512-…` of an archive from npm. */
  readonly hash: string;
  /** Name of the wheel. */
  readonly file?: string | undefined;
  /** Names that a program imports. */
  readonly imports?: readonly string[] | undefined;
  /** Path of the package in the folder of npm, and the names that it needs, by their ranges. */
  readonly location?: string | undefined;
  readonly needs?: Readonly<Record<string, string>> | undefined;
}

/** The locked packages of one language. */
export interface LockedLanguage {
  /** The requests of the configuration, presets included, that were resolved. */
  readonly requested: readonly string[];
  /** The platform of the artefacts: `cp311-linux-x64`, or `esm`. */
  readonly target: string;
  /** The sandboxes in which programs can import them. */
  readonly sandboxes: readonly string[];
  readonly packages: readonly LockedPackage[];
}

/** The content of `toolwright.lock`. */
export interface PackageLock {
  readonly format: 1;
  readonly python?: LockedLanguage | undefined;
  readonly typescript?: LockedLanguage | undefined;
}

/** Change it when the builder makes other layers from the same artefacts. */
const BUILDER = 3;
const HASH_CHARACTERS = 32;

/** Returns the hash of a lock, which executions record. Undefined for a lock without packages. */
export function lockHash({ python, typescript }: PackageLock): string | undefined {
  const layers = [python, typescript].flatMap((language) => (language ? [layerHash(language)] : []));
  return layers.length === 0 ? undefined : hashOf(layers);
}

/** Returns the name of a layer: the hash of its artefacts and requests. */
export function layerHash({ target, requested, packages }: LockedLanguage): string {
  const artefacts = packages.map(({ name, version, hash, location }) => [name, version, hash, location ?? null]);
  return hashOf([BUILDER, target, [...requested].sort(), artefacts.map((each) => JSON.stringify(each)).sort()]);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, HASH_CHARACTERS);
}
