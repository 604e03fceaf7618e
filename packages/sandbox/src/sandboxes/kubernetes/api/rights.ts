import type { KubernetesApi } from './api.ts';

/** A rule of a Role. */
export interface Right {
  readonly apiGroup: string;
  /** A resource, or a resource and its part: `pods/exec`. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The rights that the sandbox needs in its namespace. */
export const POD_RIGHTS: readonly Right[] = [
  { apiGroup: '', resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
  { apiGroup: '', resources: ['pods/exec'], verbs: ['create', 'get'] },
  { apiGroup: 'coordination.k8s.io', resources: ['leases'], verbs: ['create', 'list', 'patch', 'delete'] },
  { apiGroup: 'networking.k8s.io', resources: ['networkpolicies'], verbs: ['list'] },
];

/** The further rights that it needs to claim pods of a warm pool. */
export const CLAIM_RIGHTS: readonly Right[] = [
  {
    apiGroup: 'extensions.agents.x-k8s.io',
    resources: ['sandboxclaims'],
    verbs: ['create', 'get', 'list', 'watch', 'delete'],
  },
  { apiGroup: 'extensions.agents.x-k8s.io', resources: ['sandboxwarmpools', 'sandboxtemplates'], verbs: ['get'] },
  { apiGroup: 'agents.x-k8s.io', resources: ['sandboxes'], verbs: ['get'] },
];

/** Returns the missing rights, each as a rule of a Role: `apiGroups [""], resources ["pods/exec"], verbs ["create"]`. */
export async function missingRights(
  api: KubernetesApi,
  namespace: string,
  rights: readonly Right[],
  timeoutMs: number,
): Promise<string[]> {
  const single = rights.flatMap(({ apiGroup, resources, verbs }) =>
    resources.map((resource) => ({ apiGroup, resource, verbs })),
  );
  const rules = await Promise.all(
    single.map(async ({ apiGroup, resource, verbs }) => {
      const allowed = await Promise.all(
        verbs.map((verb) => isAllowed(api, { namespace, apiGroup, resource, verb }, timeoutMs)),
      );
      const missing = verbs.filter((_, index) => !allowed[index]);
      if (missing.length === 0) return [];
      return [
        `apiGroups ["${apiGroup}"], resources ["${resource}"], verbs [${missing.map((verb) => `"${verb}"`).join(', ')}]`,
      ];
    }),
  );
  return rules.flat();
}

async function isAllowed(
  api: KubernetesApi,
  { namespace, apiGroup, resource, verb }: Record<'namespace' | 'apiGroup' | 'resource' | 'verb', string>,
  timeoutMs: number,
): Promise<boolean> {
  const [name = '', part] = resource.split('/');
  const resourceAttributes = {
    namespace,
    verb,
    group: apiGroup,
    resource: name,
    subresource: part || undefined,
  };
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const { status } = Object(await api.call('POST', path, { body, timeoutMs }));
  return Object(status).allowed === true;
}
