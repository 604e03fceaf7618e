import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { SandboxError } from '../../../errors.ts';
import type { ClusterAccess } from './access.ts';
import { kubeconfigAccess } from './kubeconfig.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

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
