/** What may be done beside reading. Each needs to be allowed by itself. */
export type GuardedAction = 'activate' | 'execute' | 'delete';

/** What programs may do with the instance. */
export interface N8nPolicy {
  /** Workflows may be created, changed and tagged. Default: false, reading only. */
  readonly write?: boolean | undefined;
  /** Actions that are allowed on all workflows (`execute`) or on one (`execute:<workflow id>`). Default: none. */
  readonly allow?: readonly string[] | undefined;
  /** Node types that are refused, beside {@link DENIED_NODES}. */
  readonly denyNodes?: readonly string[] | undefined;
  /** Types of {@link DENIED_NODES} that are let through. */
  readonly allowNodes?: readonly string[] | undefined;
}

/** How the n8n servers are configured: the top-level `n8n` object of a configuration file. */
export interface N8nSettings {
  /** Address of the instance. Without it only what needs none works: nodes, templates, building, validating. */
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Version of the catalogue, a path of one, or `example`; default: the newest in the cache. */
  readonly catalog?: string | undefined;
  /** Folder for catalogues and templates; default `$XDG_CACHE_HOME/toolwright/n8n`. */
  readonly cacheDir?: string | undefined;
  /** Address of the template library; default `https://api.n8n.io`. */
  readonly templatesUrl?: string | undefined;
  /** Milliseconds for one request to the API; default 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly policy?: N8nPolicy | undefined;
}

/** Node types that reach the machine that n8n runs on. */
export const DENIED_NODES: readonly string[] = [
  'executeCommand',
  'ssh',
  'readWriteFile',
  'readBinaryFile',
  'readBinaryFiles',
  'writeBinaryFile',
  'localFileTrigger',
  'git',
];

/** Default milliseconds for one request to the API. */
export const DEFAULT_API_TIMEOUT_MS = 30_000;
/** Default and largest milliseconds that a run of a workflow is waited for. */
export const DEFAULT_RUN_TIMEOUT_MS = 30_000;
export const MAX_RUN_TIMEOUT_MS = 300_000;
/** Where n8n's template library is. */
export const DEFAULT_TEMPLATES_URL = 'https://api.n8n.io';
