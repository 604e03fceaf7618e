import { DERIVATIONS, TREATMENTS } from '@toolwright/pii/policy';
import { DURABILITIES } from '@toolwright/storage/internal';
import * as z from 'zod';
import { PIN_MODES } from '../catalog/pins/pin.ts';
import { policySchema } from './policy/schema.ts';
import { secretsSchema } from './secrets/settings.ts';
import { authSchema } from './sections/auth.ts';
import { corsSchema } from './sections/cors.ts';
import { limitsSchema } from './sections/limits.ts';
import { notificationsSchema } from './sections/notifications.ts';
import { packagesSchema } from './sections/packages.ts';
import {
  callersSetting,
  defaultProfileSetting,
  directSetting,
  profilesSetting,
  toolProfileSetting,
} from './sections/profiles.ts';
import { rateLimitsSchema } from './sections/rate-limits.ts';
import { samplingSchema } from './sections/sampling.ts';
import { searchSchema } from './sections/search.ts';
import { waitsSchema } from './sections/waits.ts';
import { setting } from './setting.ts';
import { isHttpUrl } from './variables.ts';

const DEFAULT_RETENTION_DAYS = 90;
const MAX_RETENTION_DAYS = 36_500;
const MAX_PODS = 1_000;
/** More would not fit into the instructions of the MCP server. */
const MAX_PINNED = 8;

const text = z.string().min(1);
const names = z.array(text);

const docker = z
  .strictObject({
    image: setting(text, {
      description: 'image of the sandbox `docker`',
      env: 'TOOLWRIGHT_DOCKER_IMAGE',
      defaultText: '`toolwright-guest:<version>`',
    }),
    socketPath: setting(text, {
      description: "the engine's socket",
      env: 'TOOLWRIGHT_DOCKER_SOCKET',
      defaultText: '`DOCKER_HOST`, else the first usual one that answers',
    }),
    runtime: setting(text, {
      description: 'an OCI runtime of the engine, for example `runsc`',
      env: 'TOOLWRIGHT_DOCKER_RUNTIME',
      defaultText: "the engine's default",
    }),
  })
  .partial()
  .default({})
  .transform(withoutUndefined);

const kubernetes = z
  .strictObject({
    namespace: setting(text, {
      description: 'namespace of the pods of the sandbox `kubernetes`',
      env: 'TOOLWRIGHT_KUBERNETES_NAMESPACE',
      defaultText: '`toolwright-guests`',
    }),
    warmPool: setting(text, {
      description: '`SandboxWarmPool` of agent-sandbox to claim pods from',
      env: 'TOOLWRIGHT_KUBERNETES_WARM_POOL',
      defaultText: 'a new pod for each program',
    }),
    image: setting(text, {
      description: 'image of its pods',
      env: 'TOOLWRIGHT_KUBERNETES_IMAGE',
      defaultText: '`toolwright-guest:<version>`',
    }),
    runtimeClass: setting(text, {
      description: 'a RuntimeClass for new pods, for example `gvisor`',
      env: 'TOOLWRIGHT_KUBERNETES_RUNTIME_CLASS',
      defaultText: 'that of the cluster',
    }),
    packagesClaim: setting(text, {
      description:
        'PersistentVolumeClaim with the folder of the layers of Python [packages](packages.md), which new pods read',
      env: 'TOOLWRIGHT_KUBERNETES_PACKAGES_CLAIM',
      defaultText: 'no Python packages',
    }),
    maxPods: setting(z.number().int().min(1).max(MAX_PODS), {
      description: 'maximum number of pods of one process',
      env: 'TOOLWRIGHT_KUBERNETES_MAX_PODS',
      defaultText: '`8`',
    }),
  })
  .partial()
  .default({})
  .transform(withoutUndefined);

const pii = z
  .strictObject({
    mode: setting(z.enum(['placeholders', 'off']), {
      description: 'whether personal data becomes placeholders, see [personal data](personal-data.md)',
      env: 'TOOLWRIGHT_PII',
      defaultText: '`placeholders`',
    }),
    clear: setting(names, {
      description: 'servers whose values programs read as they are; models read placeholders',
      defaultText: 'none',
    }),
    ignore: setting(names, {
      description: 'types that stay as they are everywhere, for example `IP`',
      defaultText: 'none',
    }),
    patterns: setting(
      z.record(z.string(), z.union([text, z.strictObject({ pattern: text, flags: z.string().default('') })])),
      { description: 'your own types, by name: `{ "customer_id": "\\\\bID-\\\\d{6}\\\\b" }`', defaultText: 'none' },
    ),
    policy: setting(
      z
        .strictObject({
          tools: z.record(z.string(), z.record(z.string(), z.enum(TREATMENTS))),
          flows: z.record(z.string(), names),
          derivations: z.record(z.string(), z.array(z.enum(DERIVATIONS))),
        })
        .partial()
        .transform(withoutUndefined),
      { description: 'rules for the values that tools receive, see [personal data](personal-data.md)' },
    ),
    restoreTool: setting(z.boolean(), {
      description: 'whether the MCP server has a tool that shows the user values',
      defaultText: '`false`',
    }),
  })
  .partial()
  .default({})
  .transform(withoutUndefined);

/** All settings except the servers: their defaults, environment variables and descriptions. */
export const settingsSchema = z.object({
  sandbox: setting(text.default('auto'), {
    description:
      'the [sandbox](sandboxes.md): `auto`, `jail`, `quickjs`, `pyodide`, `docker`, `microsandbox` or `kubernetes`',
    env: 'TOOLWRIGHT_SANDBOX',
  }),
  connect: setting(z.enum(['lazy', 'eager']).default('lazy'), {
    description: 'when to connect servers: `lazy` on first use, `eager` at start',
    env: 'TOOLWRIGHT_CONNECT',
  }),
  check: setting(z.boolean().default(true), {
    description: 'whether TypeScript programs are [checked](check.md) first',
    env: 'TOOLWRIGHT_CHECK',
  }),
  dataDir: setting(text.optional(), {
    description: 'folder of journals (`executions/`), sessions (`sessions/`, `customers/`) and skills (`users/`)',
    env: 'TOOLWRIGHT_DATA_DIR',
    defaultText: '`$XDG_STATE_HOME/toolwright`, else `~/.local/state/toolwright`',
  }),
  outputFolder: setting(text.optional(), {
    description: 'folder that receives a copy of each [file that programs show](guest.md#images-and-recordings)',
    env: 'TOOLWRIGHT_OUTPUT_FOLDER',
    defaultText: 'no copies',
  }),
  dashboard: setting(z.boolean().default(true), {
    description: 'whether `toolwright serve` has the [dashboard](dashboard.md) at `/`',
    env: 'TOOLWRIGHT_DASHBOARD',
  }),
  docker,
  kubernetes,
  customer: setting(text.max(256).optional(), {
    description: 'new sessions share the `/workspace` of this customer, see [sessions](sessions.md)',
    env: 'TOOLWRIGHT_CUSTOMER',
    defaultText: 'one `/workspace` per session',
  }),
  store: setting(
    z
      .string()
      .regex(
        /^(sqlite|memory|(rediss?:\/)?\/.+|postgres(ql)?:\/\/.+)$/,
        'expected "sqlite", "memory", or a postgres:// or redis:// URL',
      )
      .default('sqlite'),
    {
      description:
        'storage that processes share: `sqlite` (in the data folder), `memory`, or a `postgres://` or `redis://` URL',
      env: 'TOOLWRIGHT_STORE',
    },
  ),
  redis: setting(
    z
      .string()
      .regex(/^(rediss?:\/)?\/.+$/, 'expected a redis:// URL')
      .optional(),
    {
      description:
        'Redis of a [cluster](scaling.md#redis), whose `store` is PostgreSQL: it takes the load of messages and rate limits from the database',
      env: 'TOOLWRIGHT_REDIS',
      defaultText: 'none',
    },
  ),
  blobs: setting(
    z
      .string()
      .regex(/^(s3:\/\/.+|postgres(ql)?:\/\/.+)$/, 'expected an s3:// or postgres:// URL')
      .optional(),
    {
      description:
        'files of workspaces where `store` is PostgreSQL: `s3://bucket/prefix?endpoint=https://…`, or a `postgres://` URL',
      env: 'TOOLWRIGHT_BLOBS',
      defaultText: 'the database of `store`',
    },
  ),
  search: searchSchema.prefault({}),
  durability: setting(z.enum(DURABILITIES).default('process'), {
    description:
      'whether [journals](durable-executions.md#after-a-power-cut) survive a crash of the process (`process`), or a power cut too (`fsync`)',
    env: 'TOOLWRIGHT_DURABILITY',
  }),
  packages: packagesSchema.prefault({}),
  pii,
  plugins: setting(names.default([]), {
    description: 'packages of plugins to load, besides those with an object in the file',
  }),
  pin: setting(z.enum(PIN_MODES).default('warn'), {
    description:
      'new, changed and suspicious [tools](pinning.md): `off`, `warn` reports them, `block` also hides and refuses them',
    env: 'TOOLWRIGHT_PIN',
  }),
  pinned: setting(names.max(MAX_PINNED).default([]), {
    description:
      'ids of tools that the [MCP server](mcp-server.md#choose-the-tools-of-the-instructions) shows every model at once, as far as they fit',
  }),
  profiles: profilesSetting,
  defaultProfile: defaultProfileSetting,
  toolProfile: toolProfileSetting,
  direct: directSetting,
  callers: callersSetting,
  secrets: secretsSchema,
  hostnames: setting(names.default([]), {
    description: 'further host names of `toolwright serve`; requests for other hosts are refused',
    env: 'TOOLWRIGHT_HOSTNAMES',
  }),
  publicUrl: setting(z.string().refine(isHttpUrl, 'expected an http:// or https:// URL').optional(), {
    description:
      'address at which browsers reach `toolwright serve`, for [logins to servers](oauth.md#in-toolwright-serve)',
    env: 'TOOLWRIGHT_PUBLIC_URL',
    defaultText: 'the address on which it listens',
  }),
  notifications: notificationsSchema.prefault({}),
  cors: corsSchema.prefault({}),
  restoreAnswer: setting(z.boolean().default(true), {
    description:
      "whether personal data in a task's answer is [restored for its user](agent.md#personal-data-in-the-answer)",
  }),
  retentionDays: setting(z.int().min(0).max(MAX_RETENTION_DAYS).default(DEFAULT_RETENTION_DAYS), {
    description: 'days after the last use until sessions and journals are deleted; 0 keeps them',
    env: 'TOOLWRIGHT_RETENTION_DAYS',
  }),
  limits: limitsSchema.partial().default({}).transform(withoutUndefined),
  policy: policySchema.prefault({}),
  auth: authSchema.prefault({}),
  rateLimits: rateLimitsSchema.prefault({}),
  waits: waitsSchema.prefault({}),
  sampling: samplingSchema.prefault({}),
});

/** All settings, checked and with their defaults. */
export type Settings = z.output<typeof settingsSchema>;

/** Top-level keys, for "did you mean". */
export const SETTING_KEYS: readonly string[] = [
  ...Object.keys(settingsSchema.shape),
  'mcpServers',
  'servers',
  'inputs',
];

function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
