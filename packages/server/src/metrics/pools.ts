import { poolsAsked } from '@toolwright/sandbox/internal';
import { Gauge, type Registry } from 'prom-client';

/** Tells how full the pools of guests are, at the moment that metrics are read. */
export function watchPools(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'toolwright_sandbox_guests',
    help: 'Guests of the pools: idle ones are ready for a program, busy ones run one.',
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
