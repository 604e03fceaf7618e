import { poolsAsked } from '@toolwright/sandbox/internal';
import { Gauge, type Registry } from 'prom-client';

/** Registers the metrics of the pools of guests. They are read when Prometheus collects the metrics. */
export function watchPools(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'toolwright_sandbox_guests',
    help: 'Guests in pools, by state: idle (ready for a program) or busy.',
    labelNames: ['sandbox', 'state'] as const,
    registers,
    collect() {
      this.reset();
      poolsAsked.publish(({ sandbox, idle, busy }) => {
        this.inc({ sandbox, state: 'idle' }, idle);
        this.inc({ sandbox, state: 'busy' }, busy);
      });
    },
  });
  new Gauge({
    name: 'toolwright_sandbox_waiting_executions',
    help: 'Executions that wait for a guest.',
    labelNames: ['sandbox'] as const,
    registers,
    collect() {
      this.reset();
      poolsAsked.publish(({ sandbox, waiting }) => this.inc({ sandbox }, waiting));
    },
  });
}
