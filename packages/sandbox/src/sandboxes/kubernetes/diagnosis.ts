import { messageOf, SandboxError } from '../../errors.ts';
import { ApiError } from './api/api-error.ts';

/** A problem of the cluster, and its fix. */
export interface Diagnosis {
  readonly reason: string;
  readonly fix: string;
}

const TLS = /CERT|SSL|TLS/;
const ROLE_FIX = 'apply deploy/kubernetes/overlays/guests, which has the Role, or see "kubectl auth can-i --list"';

/** Returns the problem and the fix for a failed start of a pod. `address` is that of the API server. */
export function diagnose(thrown: unknown, address = 'the API server'): Diagnosis {
  if (thrown instanceof SandboxError) {
    const { fix } = thrown.details;
    return { reason: thrown.message, fix: typeof fix === 'string' ? fix : 'see "kubectl describe"' };
  }
  const error = ApiError.from(thrown);
  const { status, reason: code = '', message } = error;
  if (status === undefined) {
    if (TLS.test(code)) {
      return {
        reason: `${address} has a certificate that is not trusted: ${message}`,
        fix: 'correct certificate-authority in the kubeconfig; never turn the check off',
      };
    }
    return {
      reason: `the API server ${address} does not answer: ${message}`,
      fix: 'allow the connection in the network policy of this pod, and see "kubectl cluster-info"',
    };
  }
  const answered = `the API server answered with status ${status}: ${message}`;
  if (status === 401)
    return { reason: answered, fix: 'renew the token: it has expired, or belongs to another cluster' };
  if (status === 403 && /exceeded quota/.test(message)) {
    return { reason: answered, fix: 'raise the ResourceQuota of the namespace, or lower kubernetes.maxPods' };
  }
  if (status === 403 && /PodSecurity/.test(message)) {
    return { reason: answered, fix: 'correct the admission policy: pods of guests keep the level "restricted"' };
  }
  if (status === 403) return { reason: answered, fix: ROLE_FIX };
  if (status === 404 && /namespace/.test(message)) {
    return { reason: answered, fix: 'apply deploy/kubernetes/overlays/guests, or correct kubernetes.namespace' };
  }
  if (status === 429 || status >= 500) {
    return { reason: answered, fix: 'try again later; "kubectl get --raw /readyz" shows the state of the API server' };
  }
  return { reason: answered, fix: `see the message, and "kubectl describe" in the namespace` };
}

/** Returns an error with its fix, for `diagnose`. */
export function unavailable(reason: string, fix: string, cause?: unknown): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', reason, { cause, details: { fix } });
}

/** Returns the reason of a failure as one line. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0] ?? '';
}
