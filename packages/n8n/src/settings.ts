/** Actions that each need a rule in `policy.allow`. */
export type RestrictedAction = 'activate' | 'execute' | 'delete';

/** The actions that programs may take on the instance. */
export interface N8nPolicy {
  /** Allows to create, change and tag workflows. Default: false, read only. */
  readonly write?: boolean | undefined;
  /** Actions allowed on all workflows (`execute`) or on one (`execute:<workflow id>`). Default: none. */
  readonly allow?: readonly string[] | undefined;
  /** Node types to reject in addition to {@link DENIED_NODES}. */
  readonly denyNodes?: readonly string[] | undefined;
  /** Types of {@link DENIED_NODES} to allow. */
  readonly allowNodes?: readonly string[] | undefined;
}

/** Settings of the n8n servers: the `n8n` object of a configuration file. */
export interface N8nSettings {
  /** URL of the instance. Nodes, templates, building and validating work without it. */
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Version or path of the catalog, or `example`. Default: the newest version in the cache. */
  readonly catalog?: string | undefined;
  /** Folder of catalogs and templates. Default: `$XDG_CACHE_HOME/toolwright/n8n`. */
  readonly cacheDir?: string | undefined;
  /** URL of the template library. Default: `https://api.n8n.io`. */
  readonly templatesUrl?: string | undefined;
  /** URL of the npm registry for the search of community nodes. Default: `https://registry.npmjs.org`. */
  readonly registryUrl?: string | undefined;
  /** Timeout of one API request in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly policy?: N8nPolicy | undefined;
}

/** Node types that can access the machine of n8n. They are denied by default. */
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

/** Default timeout of one API request, in milliseconds. */
export const DEFAULT_API_TIMEOUT_MS = 30_000;
/** Default and maximum wait for an execution of a workflow, in milliseconds. */
export const DEFAULT_RUN_TIMEOUT_MS = 30_000;
export const MAX_RUN_TIMEOUT_MS = 300_000;
/** URL of n8n's template library. */
export const DEFAULT_TEMPLATES_URL = 'https://api.n8n.io';
/** URL of the public npm registry. */
export const DEFAULT_REGISTRY_URL = 'https://registry.npmjs.org';
