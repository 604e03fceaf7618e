import { serversAsked } from '@toolwright/core/internal';
import { Gauge, type Registry } from 'prom-client';
import { boundedLabel } from './bounded.ts';

/** Servers with a series of their own. Administrators can add servers, so the number is limited. */
const MAX_SERVERS = 500;

/** Registers the metric of the servers. It is read when Prometheus collects the metrics. */
export function watchServers(registry: Registry): void {
  const serverLabel = boundedLabel(MAX_SERVERS);
  new Gauge({
    name: 'toolwright_server_state',
    help: 'Servers by their state: 1 for the current one.',
    labelNames: ['server', 'state'] as const,
    registers: [registry],
    collect() {
      this.reset();
      serversAsked.publish(({ server, state }) =>
        this.inc({ server: serverLabel(server), state: state.replaceAll(' ', '_') }),
      );
    },
  });
}
