import { join } from 'node:path';
import { type AuditSink, createDetection, type Detector, PII_TYPES, type PiiPolicy } from '@toolwright/pii';
import {
  auditFile,
  checkPolicy,
  createRedactors,
  type Keyring,
  loadKeyring,
  MASTER_KEY_VARIABLE,
  NO_REDACTORS,
  type PatternText,
  type Redactors,
} from '@toolwright/pii/internal';
import { suggest } from './catalog/names/suggest.ts';
import { ToolwrightError } from './errors.ts';
import { openStore } from './stores/open.ts';
import { memoryStore, type Store } from './stores/store.ts';
import { personalDataFound, personalDataUsed } from './telemetry/diagnostics.ts';

/** How personal data is protected. Everything may be left out. */
export interface PiiSettings {
  /** `placeholders` (default), or `off`: then values reach programs and models as they are. */
  readonly mode?: 'placeholders' | 'off' | undefined;
  /** Servers of which programs get the values themselves; a model does not. Default: none. */
  readonly clear?: readonly string[] | undefined;
  /** Types that are left as they are everywhere, as `IP`. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /** Kinds of values of your own, by name: `{ "customer_id": "\\bID-\\d{6}\\b" }`. */
  readonly patterns?: Readonly<Record<string, string | RegExp | PatternText>> | undefined;
  /** What tools get of values. */
  readonly policy?: PiiPolicy | undefined;
  /** Whether a model may ask to have placeholders shown to the user in clear; default `false`. */
  readonly restoreTool?: boolean | undefined;
}

/** What only an embedding program can give. */
export interface PiiExtensions {
  /** Detectors beside the built-in rules, as one that asks a model. */
  readonly detectors?: readonly Detector[];
  /** Hears every audit record, beside the file. One that throws stops what it was told of. */
  readonly onAudit?: AuditSink;
  /** Hears of each value that was found: its type. */
  readonly onFound?: (type: string) => void;
}

export interface PrivacyOptions {
  readonly settings: PiiSettings;
  readonly extensions: PiiExtensions;
  /** Where values of sessions are kept; see `openStore`. */
  readonly store: string | Store;
  readonly dataDir: string;
}

/** The guards of a Toolwright, and the end of what they opened. */
export interface Privacy extends AsyncDisposable {
  readonly redactors: Redactors;
}

/**
 * Puts the parts of the protection together. Raises `CONFIG_INVALID` for a policy or a master key that cannot be used, and
 * `PATTERN_INVALID`. A key file, where no key is configured, is made when a session first needs it.
 */
export function openPrivacy({ settings, extensions, store, dataDir }: PrivacyOptions): Privacy {
  const { mode = 'placeholders', clear = [], ignore = [], patterns = {}, policy = {} } = settings;
  if (mode === 'off') return { redactors: NO_REDACTORS, [Symbol.asyncDispose]: async () => undefined };
  const { detectors = [], onAudit, onFound } = extensions;
  const detection = createDetection({ patterns, detectors });
  checkTypes(settings, [...PII_TYPES, ...detection.types()], detectors.length > 0);
  const file = auditFile(join(dataDir, 'audit'));
  const keys = () => loadKeyring({ env: process.env, file: join(dataDir, 'master.key') });
  // A store opens its file or connection when it is first used.
  const vaults = openStore(store, dataDir);
  let keyring: Keyring | undefined;
  // A key that is wrong is told at once, not in the middle of somebody's work.
  if (process.env[MASTER_KEY_VARIABLE]) keys();
  const redactors = createRedactors({
    open() {
      keyring ??= keys();
      return { store: vaults, keys: keyring };
    },
    memory: memoryStore(),
    detection,
    policy: checkPolicy(policy),
    audit(record) {
      file(record);
      personalDataUsed.publish(record);
      onAudit?.(record);
    },
    ignored: new Set(ignore.map((type) => type.toUpperCase())),
    clear: new Set(clear),
    onFound(type) {
      personalDataFound.publish(type);
      onFound?.(type);
    },
  });
  return {
    redactors,
    async [Symbol.asyncDispose]() {
      await vaults[Symbol.asyncDispose]();
    },
  };
}

/**
 * Raises `CONFIG_INVALID` for types that nothing finds: a rule for one that is misspelt would be a rule for nothing. What
 * detectors of the program find is known to them alone.
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
    throw new ToolwrightError('CONFIG_INVALID', `pii.${where} names "${type}", which is no type. ${hint}`);
  }
}

/** Raises `CONFIG_INVALID` for servers that are treated apart and are not there: a typo must not protect less, or nothing. */
export function checkServers({ clear = [], policy = {} }: PiiSettings, servers: readonly string[]): void {
  const named = [
    ...clear.map((name) => ['clear', name] as const),
    ...Object.keys(policy.flows ?? {}).map((name) => ['policy.flows', name] as const),
  ];
  const [where, unknown] = named.find(([, name]) => !servers.includes(name)) ?? [];
  if (unknown === undefined) return;
  const message = `pii.${where} names "${unknown}", which is no server. Servers: ${servers.join(', ') || 'none'}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
