import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { messageOf, SandboxError } from '../../../errors.ts';
import type { ClusterAccess } from './access.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

type Entry = Readonly<Record<string, unknown>>;

/** Credentials and connections of other clients. Each needs a program or a protocol that is not part of Toolwright. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  exec: 'a credential plugin (exec)',
  'auth-provider': 'an auth provider',
  username: 'a password',
  'proxy-url': 'a proxy (proxy-url)',
  'insecure-skip-tls-verify': 'a connection without a check of the certificate (insecure-skip-tls-verify)',
};
const FIX =
  'use a context with a token, a tokenFile or a client certificate, such as that of a service account: kubectl create token';

/**
 * Finds the cluster: the file `kubeconfig`, else the first file of `KUBECONFIG`, else the service account of this pod, else
 * `~/.kube/config`. Raises `SANDBOX_UNAVAILABLE` if there is none, or if its credentials are of an unsupported kind.
 */
export async function findAccess(kubeconfig?: string, env: NodeJS.ProcessEnv = process.env): Promise<ClusterAccess> {
  const named = kubeconfig ?? env.KUBECONFIG?.split(delimiter).find((path) => path !== '');
  if (named !== undefined) return kubeconfigAccess(named);
  const own = podAccess(env);
  if (own) return own;
  const usual = join(homedir(), '.kube/config');
  if (existsSync(usual)) return kubeconfigAccess(usual);
  throw new SandboxError(
    'SANDBOX_UNAVAILABLE',
    'there is no cluster: no service account in this pod, and no kubeconfig',
    {
      details: { fix: 'run Toolwright in a pod with automountServiceAccountToken, or set KUBECONFIG' },
    },
  );
}

/** Returns the access of the service account that the kubelet mounts into a pod; `undefined` outside of a cluster. */
export function podAccess(env: NodeJS.ProcessEnv, folder: string = SERVICE_ACCOUNT): ClusterAccess | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const token = join(folder, 'token');
  if (!host || !existsSync(token)) return undefined;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    server: new URL(`https://${name}:${port}`),
    source: 'the service account of this pod',
    tls: { ca: readFileSync(join(folder, 'ca.crt')) },
    // The kubelet replaces the file before the token expires.
    token: async () => (await readFile(token, 'utf8')).trim(),
  };
}

/** Returns the access of the current context of a kubeconfig. Raises `SANDBOX_UNAVAILABLE` if it cannot be used. */
export async function kubeconfigAccess(path: string): Promise<ClusterAccess> {
  const config = await read(path);
  const current = config['current-context'];
  const context = find(config.contexts, current).context;
  const { cluster: clusterName, user: userName } = Object(context);
  if (typeof current !== 'string' || clusterName === undefined) {
    throw unusable(`${path} has no current context`, 'run: kubectl config use-context NAME');
  }
  const cluster: Entry = Object(find(config.clusters, clusterName).cluster);
  const user: Entry = Object(find(config.users, userName).user);
  for (const [field, text] of Object.entries(UNSUPPORTED)) {
    if (cluster[field] || user[field]) throw unusable(`the context "${current}" of ${path} needs ${text}`, FIX);
  }
  const folder = dirname(path);
  const server = text(cluster.server);
  if (server === undefined || !URL.canParse(server))
    throw unusable(`the cluster of ${path} has no server`, 'add its URL');
  const tokenFile = text(user.tokenFile);
  const token = text(user.token);
  const cert = contentOf(user, 'client-certificate', folder);
  const key = contentOf(user, 'client-key', folder);
  const ca = contentOf(cluster, 'certificate-authority', folder);
  const servername = text(cluster['tls-server-name']);
  if (tokenFile === undefined && token === undefined && cert === undefined) {
    throw unusable(`the context "${current}" of ${path} has no credentials`, FIX);
  }
  return {
    server: new URL(server),
    source: `the context "${current}"`,
    tls: {
      ca,
      cert,
      key,
      servername: servername || undefined,
    },
    token: async () => (tokenFile === undefined ? token : (await readFile(below(folder, tokenFile), 'utf8')).trim()),
  };
}

async function read(path: string): Promise<Entry> {
  try {
    const { parse } = await import('./yaml-library.ts');
    return Object(parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw unusable(
      `${path} is not readable: ${messageOf(error)}`,
      'correct the file, or set KUBECONFIG to another one',
      error,
    );
  }
}

function find(list: unknown, name: unknown): Entry {
  const entries: Entry[] = Array.isArray(list) ? list.map((entry) => Object(entry)) : [];
  return entries.find((entry) => entry.name === name) ?? {};
}

/** Returns the content of a file that is inline as base64, or named by its path. */
function contentOf(entry: Entry, name: string, folder: string): Buffer | undefined {
  const inline = text(entry[`${name}-data`]);
  if (inline !== undefined) return Buffer.from(inline, 'base64');
  const path = text(entry[name]);
  if (path === undefined) return undefined;
  try {
    return readFileSync(below(folder, path));
  } catch (error) {
    throw unusable(
      `the file of ${name} is not readable: ${messageOf(error)}`,
      'correct its path in the kubeconfig',
      error,
    );
  }
}

function below(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function unusable(reason: string, fix: string, cause?: unknown): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', reason, { cause, details: { fix } });
}
