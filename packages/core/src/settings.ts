import { resolve } from 'node:path';
import type { InvalidServer, ServerConfig } from '@toolwright/connectors';
import type { Sandbox } from '@toolwright/sandbox';
import type { Durability, Store } from '@toolwright/storage';
import { DURABILITIES } from '@toolwright/storage/internal';
import type * as z from 'zod';
import { PIN_MODES, type PinMode } from './catalog/pins/pin.ts';
import { loadConfig, parseConfig, type ToolwrightConfig } from './config/config.ts';
import { type PolicyConfig, policySchema } from './config/policy/schema.ts';
import { PARSING, pathText, problemsText, schemaProblems } from './config/problems.ts';
import { checkLimits, type Limits } from './config/sections/limits.ts';
import { samplingSchema } from './config/sections/sampling.ts';
import { type SearchSettings, searchSchema } from './config/sections/search.ts';
import { type WaitSettings, waitsSchema } from './config/sections/waits.ts';
import { MAX_TIMER_MS } from './config/setting.ts';
import { invalidConfig } from './config/text.ts';
import { ToolwrightError } from './errors.ts';
import type { Sampling } from './execution/questions/input-sources.ts';
import type { ToolwrightOptions } from './options.ts';
import type { PiiSettings } from './privacy/privacy.ts';
import { type Logger, stderrLogger } from './telemetry/log.ts';
import { redactedLogger } from './telemetry/redacted-logger.ts';

/** The options of a Toolwright over those of its configuration file, with defaults filled in. */
export interface Settings {
  readonly sandbox: string | Sandbox;
  readonly connect: 'lazy' | 'eager';
  readonly store: string | Store;
  readonly pin: PinMode;
  readonly durability: Durability;
  readonly check: boolean;
  readonly config: ToolwrightConfig;
  /** Reads the configuration file again. Raises `CONFIG_INVALID`. Undefined without a file. */
  readonly readConfig: (() => Promise<ToolwrightConfig>) | undefined;
  /** Names of servers that the options have, which override those of the file. */
  readonly ownServers: ReadonlySet<string>;
  readonly servers: ReadonlyMap<string, ServerConfig | InvalidServer>;
  readonly limits: Limits;
  /** Absolute path. */
  readonly dataDir: string;
  readonly pii: PiiSettings;
  readonly policy: PolicyConfig;
  /** Undefined: nothing is deleted. */
  readonly retentionDays: number | undefined;
  readonly userDiskBytes: number | undefined;
  /** Redis of a cluster. */
  readonly redis: string | undefined;
  /** Undefined: the database of the store. */
  readonly blobs: string | undefined;
  readonly waits: WaitSettings;
  readonly sampling: Sampling;
  readonly search: SearchSettings;
  readonly logger: Logger;
}

const MAX_RETENTION_DAYS = 36_500;
const PACKAGES_MEMORY_BYTES = 512 * 1024 * 1024;

/** Reads the configuration file, if there is one, and applies the options. Raises `CONFIG_INVALID`. */
export async function resolveSettings(options: ToolwrightOptions): Promise<Settings> {
  const own = parseConfig({ mcpServers: options.mcpServers ?? {} }, {});
  checkOwnServers(own);
  const readConfig = options.config === undefined ? undefined : () => loadConfig({ path: options.config });
  const config = (await readConfig?.()) ?? own;
  // Without a file, only an explicit setting deletes data: the default of the configuration does not count.
  const isConfigured = options.config !== undefined || Boolean(process.env.TOOLWRIGHT_RETENTION_DAYS);
  const configured = isConfigured ? config.retentionDays : undefined;
  const pii = { ...config.pii, ...options.pii };
  return {
    config,
    readConfig,
    ownServers: new Set(own.servers.keys()),
    servers: new Map([...writtenServers(config), ...own.servers]),
    sandbox: options.sandbox ?? config.sandbox,
    connect: options.connect ?? config.connect,
    store: options.store ?? config.store,
    redis: options.redis ?? config.redis,
    blobs: options.blobs ?? config.blobs,
    pin: checkChoice<PinMode>('pin', PIN_MODES, options.pin ?? config.pin),
    durability: checkChoice<Durability>('durability', DURABILITIES, options.durability ?? config.durability),
    check: options.check ?? config.check,
    limits: checkLimits({ ...packageLimits(config), ...config.limits, ...options.limits }),
    dataDir: resolve(options.dataDir ?? config.dataDir),
    pii,
    policy: options.policy === undefined ? config.policy : checkPolicy(options.policy),
    retentionDays: options.retentionDays === undefined ? configured : checkRetention(options.retentionDays),
    userDiskBytes: checkDiskBytes(options.userDiskBytes),
    waits: checkSection('waits', waitsSchema, { ...config.waits, ...options.waits }),
    sampling: {
      settings: checkSection('sampling', samplingSchema, { ...config.sampling, ...options.sampling }),
      onSampling: options.onSampling,
    },
    search: checkSection('search', searchSchema, { ...config.search, ...options.search }),
    logger: loggerOf(options.logger, pii),
  };
}

/** Returns the enabled servers of a configuration, also the invalid ones. */
export function writtenServers({
  servers,
  invalidServers,
}: ToolwrightConfig): Map<string, ServerConfig | InvalidServer> {
  return new Map<string, ServerConfig | InvalidServer>([...servers, ...invalidServers]);
}

/** Raises `CONFIG_INVALID` for a mistake in a server of the options: the embedding program can correct it. */
function checkOwnServers({ file, invalidServers }: ToolwrightConfig): void {
  const found = [...invalidServers.values()].flatMap(({ problems }) => problems.map((text) => ({ path: [], text })));
  if (found.length > 0) throw invalidConfig(file, found);
}

/** Returns the default limits of a configuration with Python packages: the large ones do not start with less. */
function packageLimits({ packages: { python, presets } }: ToolwrightConfig): Partial<Limits> {
  return python.length + presets.length > 0 ? { memoryBytes: PACKAGES_MEMORY_BYTES } : {};
}

/** Returns the logger of the caller, without personal data, or the default one, which redacts by itself. */
function loggerOf(logger: Logger | undefined, { mode }: PiiSettings): Logger {
  if (logger === undefined) return stderrLogger();
  return mode === 'off' ? logger : redactedLogger(logger);
}

function checkChoice<Choice extends string>(name: string, choices: readonly Choice[], given: string): Choice {
  const known = choices.find((each) => each === given);
  if (known) return known;
  const message = `createToolwright: ${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(given)}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function checkSection<T>(name: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new ToolwrightError('CONFIG_INVALID', `createToolwright: wrong ${name}. ${problemsText(parsed.error)}.`);
}

/** Checks the settings of a policy. Raises `CONFIG_INVALID`. */
export function checkPolicy(
  given: NonNullable<ToolwrightOptions['policy']>,
  method = 'createToolwright',
): PolicyConfig {
  const parsed = policySchema.safeParse(given, PARSING);
  if (parsed.success) return parsed.data;
  const lines = schemaProblems(parsed.error, ['policy']).map(({ path, text }) => `${pathText(path)}: ${text}`);
  throw new ToolwrightError('CONFIG_INVALID', `${method}: wrong options. ${lines.join('; ')}.`);
}

function checkRetention(days: number): number {
  if (Number.isSafeInteger(days) && days >= 0 && days <= MAX_RETENTION_DAYS) return days;
  const message = `retentionDays must be a whole number from 0 to ${MAX_RETENTION_DAYS}, not ${JSON.stringify(days) ?? String(days)}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** Returns a time to wait. Raises `CONFIG_INVALID`. */
export function checkWaitMs(waitMs: number): number {
  if (Number.isSafeInteger(waitMs) && waitMs >= 0 && waitMs <= MAX_TIMER_MS) return waitMs;
  const message = `waitMs must be a whole number from 0 to ${MAX_TIMER_MS}, not ${JSON.stringify(waitMs) ?? String(waitMs)}.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

function checkDiskBytes(bytes: number | undefined): number | undefined {
  if (bytes === undefined || (Number.isSafeInteger(bytes) && bytes > 0)) return bytes;
  throw new ToolwrightError('CONFIG_INVALID', `userDiskBytes must be a positive whole number, not ${String(bytes)}.`);
}
