const components = (...names: readonly string[]) => names.map((name) => `kubernetes/components/${name}`);

/** The documented combinations of overlays and components. */
export const DEPLOYMENTS = {
  default: 'kubernetes',
  single: 'kubernetes/overlays/single',
  cluster: 'kubernetes/overlays/cluster',
  'cluster with keda': { resources: ['kubernetes/overlays/cluster'], components: components('keda') },
  'cluster with all components': {
    resources: ['kubernetes/overlays/cluster'],
    components: components('external-secrets', 'keda', 'kubernetes-sandbox'),
  },
  guests: 'kubernetes/overlays/guests',
  'guests with warm-pool': { resources: ['kubernetes/overlays/guests'], components: components('warm-pool') },
} as const;
