import { DERIVATIONS, TREATMENTS } from '@toolwright/pii/internal';
import * as z from 'zod';
import type { ServerConfig } from '../connectors/server-config.ts';
import type { Limits } from '../execution/limits.ts';
import { authSchema, rateLimitsSchema } from './access.ts';
import type { ToolwrightConfig } from './config.ts';
import type { RateLimitSettings } from './rate-limits.ts';
import { configText, configUrl, type Environment } from './variables.ts';

const positive = z.int().positive();
// Timers of Node hold no more than that; a longer one would fire at once.
const milliseconds = positive.max(2 ** 31 - 1);

/** Days that sessions and ledgers stay after their last use. */
const DEFAULT_RETENTION_DAYS = 90;
const MAX_RETENTION_DAYS = 36_500;

/** Settings beside the servers; where the data folder is may be left to the environment. */
export type Settings = Omit<
  ToolwrightConfig,
  'file' | 'folder' | 'servers' | 'disabledServers' | 'sections' | 'dataDir'
> & {
  readonly dataDir?: string | undefined;
};

const names = z.array(z.string().min(1));

const settings = z.object({
  sandbox: z.string().min(1).default('auto'),
  connect: z.enum(['lazy', 'eager']).default('lazy'),
  dataDir: z.string().min(1).optional(),
  docker: z
    .strictObject({ image: z.string().min(1), socketPath: z.string().min(1), runtime: z.string().min(1) })
    .partial()
    .default({})
    .transform(withoutUndefined),
  customer: z.string().min(1).max(256).optional(),
  check: z.boolean().default(true),
  retentionDays: z.int().min(0).max(MAX_RETENTION_DAYS).default(DEFAULT_RETENTION_DAYS),
  store: z
    .string()
    .regex(/^(sqlite|memory|(rediss?:\/)?\/.+)$/, 'expected "sqlite", "memory", or a redis:// URL')
    .default('sqlite'),
  pii: z
    .strictObject({
      mode: z.enum(['placeholders', 'off']),
      clear: names,
      ignore: names,
      patterns: z.record(
        z.string(),
        z.union([z.string().min(1), z.strictObject({ pattern: z.string().min(1), flags: z.string().default('') })]),
      ),
      policy: z
        .strictObject({
          tools: z.record(z.string(), z.record(z.string(), z.enum(TREATMENTS))),
          flows: z.record(z.string(), names),
          derivations: z.record(z.string(), z.array(z.enum(DERIVATIONS))),
        })
        .partial()
        .transform(withoutUndefined),
      restoreTool: z.boolean(),
    })
    .partial()
    .default({})
    .transform(withoutUndefined),
  limits: z
    .strictObject({
      timeoutMs: milliseconds,
      memoryBytes: positive,
      messageBytes: positive,
      sourceBytes: positive,
      toolCalls: positive,
      parallelCalls: positive,
      callArgumentBytes: positive,
      callResultBytes: positive,
      journalBytes: positive,
      logBytes: positive,
      resultBytes: positive,
      depth: positive,
      workspaceBytes: positive,
      workspaceFiles: positive,
    } satisfies Record<keyof Limits, z.ZodInt>)
    .partial()
    .default({})
    .transform(withoutUndefined),
  auth: authSchema.prefault({}),
  rateLimits: rateLimitsSchema.prefault({} as RateLimitSettings),
  hostnames: names.default([]),
  restoreAnswer: z.boolean().default(false),
  plugins: names.default([]),
});

/** Each setting has a default, and an environment name where `config.ts` lists one. */
export const settingsSchema: z.ZodType<Settings> = settings;

/** Keys of the top level, for "did you mean". */
export const SETTING_KEYS: readonly string[] = [...Object.keys(settings.shape), 'mcpServers', 'servers', 'inputs'];

const toolFilter = z.strictObject({ allow: z.array(z.string()), deny: z.array(z.string()) }).partial();

const shared = {
  description: z.string().optional(),
  timeoutMs: milliseconds.optional(),
  startTimeoutMs: milliseconds.optional(),
  // Copilot writes a bare list of the tools to allow.
  tools: z.preprocess((value) => (Array.isArray(value) ? { allow: value } : value), toolFilter).optional(),
  protocol: z.enum(['auto', 'legacy', 'modern']).optional(),
};

/** Keys of a server's entry, for "did you mean". */
export const SERVER_KEYS: readonly string[] = [
  ...Object.keys(shared),
  'enabled',
  'disabled',
  'type',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
];

/** Builds the schema of one server's entry; `${VAR}` references in it are filled from `env` while parsing. */
export function serverSchema(env: Environment, kind: 'stdio' | 'http'): z.ZodType<ServerConfig> {
  const text = configText(env);
  const filled = text.refine((value) => value !== '', 'must not be empty');
  if (kind === 'stdio') {
    return z.object({
      ...shared,
      command: filled,
      args: z.array(text).optional(),
      env: z.record(z.string(), text).optional(),
      cwd: filled.optional(),
    });
  }
  return z.object({
    ...shared,
    url: configUrl(env),
    headers: z.record(z.string(), text).optional(),
    type: z.preprocess((type) => HTTP_TYPE_NAMES.get(String(type)) ?? type, z.enum(['http', 'sse'])).optional(),
  });
}

/** What other clients call Streamable HTTP. */
const HTTP_TYPE_NAMES: ReadonlyMap<string, 'http'> = new Map([
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
]);

function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
