import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AuditSink,
  createDetection,
  type Detector,
  memoryStore,
  PII_TYPES,
  type PiiPolicy,
} from '@toolwright/pii';
import {
  auditFile,
  checkPolicy,
  createRedactors,
  type Detection,
  type Keyring,
  loadKeyring,
  MASTER_KEY_VARIABLE,
  NO_REDACTORS,
  type PatternText,
  type Redactors,
  VAULT_NAMESPACES,
} from '@toolwright/pii/internal';
import type { Store } from '@toolwright/storage';
import { suggest } from '../catalog/names/suggest.ts';
import { ToolwrightError } from '../errors.ts';
import { personalDataFound, personalDataUsed } from '../execution/outcome/diagnostics.ts';

/** Settings of the redaction of personal data; all are optional. */
export interface PiiSettings {
  /** `placeholders` (default), or `off`: then programs and models receive the values themselves. */
  readonly mode?: 'placeholders' | 'off' | undefined;
  /** Servers whose values reach programs without redaction; models receive placeholders. Default: none. */
  readonly clear?: readonly string[] | undefined;
  /** Types that are never redacted, for instance `IP`. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /** Patterns of additional types, by name: `{ "customer_id": "\\bID-\\d{6}\\b" }`. */
  readonly patterns?: Readonly<Record<string, string | RegExp | PatternText>> | undefined;
  /** Whether tools receive values, masked values or placeholders. */
  readonly policy?: PiiPolicy | undefined;
  /** Whether a model may request that the user sees the values of placeholders. Default: `false`. */
  readonly restoreTool?: boolean | undefined;
}

/** Settings that only an embedding program can pass. */
export interface PiiExtensions {
  /** Detectors in addition to the built-in rules, for instance one that calls a model. */
  readonly detectors?: readonly Detector[];
  /** Receives every audit record, in addition to the file or the table. If it throws, the recorded action is refused. */
  readonly onAudit?: AuditSink;
  /** Receives the type of each found value. */
  readonly onFound?: (type: string) => void;
}

/** The state of personal data that processes of a cluster share. */
export interface SharedPrivacy {
  /** Receives the audit records. Default: files in the data folder. */
  readonly audit?: AuditSink | undefined;
  /** Runs after all vaults were encrypted with the current master key. */
  readonly onRotated?: (() => Promise<void>) | undefined;
}

export interface PrivacyOptions extends SharedPrivacy {
  readonly settings: PiiSettings;
  readonly extensions: PiiExtensions;
  /** Stores the values of sessions. The caller closes it. */
  readonly store: Store;
  readonly dataDir: string;
}

/** The redactors of a Toolwright, and the check of their master key. */
export interface Privacy {
  readonly redactors: Redactors;
  /** Finds personal data in a text, also if nothing is redacted. */
  readonly detect: Detection['detectText'];
  /** Adds a type of personal data; see `PersonalData`. */
  addPattern: Detection['addPattern'];
  /** Rejects if values could not be restored after a restart: the key is missing, unreadable or another one. */
  checkKey(): Promise<void>;
}

/**
 * Creates the redactors of a Toolwright. Raises `CONFIG_INVALID` for an invalid policy or master key, and `PATTERN_INVALID`.
 * Without a configured key, a key file is created when a session first needs it.
 */
export function openPrivacy({ settings, extensions, store, dataDir, ...options }: PrivacyOptions): Privacy {
  const { mode = 'placeholders', clear = [], ignore = [], patterns = {}, policy = {} } = settings;
  if (mode === 'off') {
    const { detectText: detect, addPattern } = createDetection();
    return { redactors: NO_REDACTORS, detect, addPattern, checkKey: async () => undefined };
  }
  const { detectors = [], onAudit, onFound } = extensions;
  const detection = createDetection({ patterns, detectors });
  checkTypes(settings, [...PII_TYPES, ...detection.types()], detectors.length > 0);
  const { audit: write = auditFile(join(dataDir, 'audit')), onRotated } = options;
  const keyFile = join(dataDir, 'master.key');
  const keys = () => loadKeyring({ env: process.env, file: keyFile });
  let keyring: Keyring | undefined;
  // An invalid key must fail at the start, not during an execution.
  if (process.env[MASTER_KEY_VARIABLE]) keys();
  const redactors = createRedactors({
    open() {
      keyring ??= keys();
      return { store, keys: keyring };
    },
    memory: memoryStore(),
    numbers: store.name === 'memory' ? undefined : store,
    detection,
    policy: checkPolicy(policy),
    audit(record) {
      const written: unknown = write(record);
      personalDataUsed.publish(record);
      return whenAll([written, onAudit?.(record)]);
    },
    ignored: new Set(ignore.map((type) => type.toUpperCase())),
    clear: new Set(clear),
    onFound(type) {
      personalDataFound.publish(type);
      onFound?.(type);
    },
  });
  return {
    redactors: onRotated ? { ...redactors, rotate: () => rotateAll(redactors, onRotated) } : redactors,
    detect: detection.detectText,
    addPattern: detection.addPattern,
    async checkKey() {
      if (process.env[MASTER_KEY_VARIABLE] || existsSync(keyFile)) {
        const found = keys();
        if (keyring === undefined || found.byId.has(keyring.current.id.toString('hex'))) return;
        throw keyError(`The key file ${keyFile} does not contain the key that this process uses. Restore the file.`);
      }
      const isNeeded = keyring !== undefined || (await hasVaults(store));
      if (isNeeded) throw keyError(`The key file ${keyFile} is missing, and stored values need it. Restore the file.`);
    },
  };
}

/** Returns a promise only if one of the outcomes is one. */
function whenAll(outcomes: readonly unknown[]): Promise<void> | undefined {
  const isLater = outcomes.some((outcome) => outcome instanceof Promise);
  return isLater ? Promise.all(outcomes).then(() => undefined) : undefined;
}

async function rotateAll(redactors: Redactors, onRotated: () => Promise<void>): ReturnType<Redactors['rotate']> {
  const rotation = await redactors.rotate();
  await onRotated();
  return rotation;
}

async function hasVaults(store: Store): Promise<boolean> {
  for await (const _name of store.namespaces(VAULT_NAMESPACES)) return true;
  return false;
}

function keyError(message: string): ToolwrightError {
  return new ToolwrightError('VAULT_LOCKED', message);
}

/**
 * Raises `CONFIG_INVALID` for unknown types: a rule for a misspelt type would have no effect. With detectors of the embedding
 * program, which may find any type, only types similar to a known one are refused.
 */
function checkTypes(
  { ignore = [], policy: { tools = {}, derivations = {} } = {} }: PiiSettings,
  types: readonly string[],
  isOpen: boolean,
): void {
  const named = [
    ...ignore.map((type) => ['ignore', type.toUpperCase()] as const),
    ...Object.values(tools).flatMap((row) => Object.keys(row).map((type) => ['policy.tools', type] as const)),
    ...Object.keys(derivations).map((type) => ['policy.derivations', type] as const),
  ];
  for (const [where, type] of named) {
    if (type === '*' || types.includes(type)) continue;
    const near = suggest(type, types, 1)[0];
    if (near === undefined && isOpen) continue;
    const hint = near === undefined ? `The types are: ${types.join(', ')}.` : `Did you mean ${near}?`;
    throw new ToolwrightError('CONFIG_INVALID', `pii.${where}: unknown type "${type}". ${hint}`);
  }
}

/** Raises `CONFIG_INVALID` for unknown servers in `clear` and `policy.flows`: a typo must not weaken the redaction. */
export function checkServers({ clear = [], policy = {} }: PiiSettings, servers: readonly string[]): void {
  const named = [
    ...clear.map((name) => ['clear', name] as const),
    ...Object.keys(policy.flows ?? {}).map((name) => ['policy.flows', name] as const),
  ];
  const [where, unknown] = named.find(([, name]) => !servers.includes(name)) ?? [];
  if (unknown === undefined) return;
  const message = `pii.${where}: unknown server "${unknown}". Servers: ${servers.join(', ') || 'none'}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
