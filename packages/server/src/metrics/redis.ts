import { Gauge, type Registry } from 'prom-client';
import type { RedisState } from '../cluster/open-cluster.ts';

/** Registers whether messages between the processes of a cluster pass through Redis. */
export function watchRedis(registry: Registry, state: () => RedisState): void {
  new Gauge({
    name: 'toolwright_redis_connected',
    help: '1 while Redis carries messages between the processes of the cluster, else 0. Absent in a cluster without Redis.',
    registers: [registry],
    collect() {
      const found = state();
      if (found === 'none') this.remove();
      else this.set(found === 'connected' ? 1 : 0);
    },
  });
}
