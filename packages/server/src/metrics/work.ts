import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { workClaimed, workReconciled } from '../diagnostics.ts';
import type { WorkCounts } from '../queue/queue.ts';

/** Reads the numbers of a whole cluster. */
export type ReadWorkCounts = () => Promise<WorkCounts>;

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Milliseconds for which one reading answers all metrics. */
const VALID_MS = 1_000;

/** Registers the metrics of the work of a cluster. Returns a function that stops the counting. */
export function watchWork(registry: Registry, read: ReadWorkCounts): () => void {
  const registers = [registry];
  addCounts(registry, sharedReading(read));
  const claims = new Counter({
    name: 'toolwright_work_claims_total',
    help: 'Works that a worker of this process has claimed.',
    labelNames: ['kind'] as const,
    registers,
  });
  const waits = new Histogram({
    name: 'toolwright_work_wait_seconds',
    help: 'Time that claimed works were ready.',
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const replays = new Counter({
    name: 'toolwright_work_replays_total',
    help: 'Claimed works that another worker had lost.',
    registers,
  });
  const resumes = new Histogram({
    name: 'toolwright_work_resume_seconds',
    help: 'Time from the last sign of life of the worker that lost a work to its next claim.',
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const jobs = new Counter({
    name: 'toolwright_work_reconciled_jobs_total',
    help: 'Ready works that the reconciler of this process has reported to workers again.',
    registers,
  });
  const revived = new Counter({
    name: 'toolwright_work_revived_total',
    help: 'Works that the reconciler of this process made ready: their worker was lost, or their time had come.',
    registers,
  });
  const stops = [
    workClaimed.subscribe(({ kind, waitedMs, lostMs }) => {
      claims.inc({ kind });
      waits.observe(waitedMs / 1000);
      if (lostMs === undefined) return;
      replays.inc();
      resumes.observe(lostMs / 1000);
    }),
    workReconciled.subscribe((round) => {
      jobs.inc(round.jobs);
      revived.inc(round.revived);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Registers the numbers of the queue. They are absent while the database does not answer. */
function addCounts(registry: Registry, read: () => Promise<WorkCounts | undefined>): void {
  const registers = [registry];
  new Gauge({
    name: 'toolwright_work',
    help: 'Works of the whole cluster, by state: ready, running or waiting.',
    labelNames: ['state'] as const,
    registers,
    async collect() {
      this.reset();
      const counts = await read();
      if (!counts) return;
      for (const state of ['ready', 'running', 'waiting'] as const) this.set({ state }, counts[state]);
    },
  });
  const ages = {
    toolwright_work_oldest_ready_seconds: ['Age of the oldest ready work of the cluster.', 'oldestReadyMs'],
    toolwright_work_lease_age_seconds: ['Age of the oldest renewal of a lease of running work.', 'leaseAgeMs'],
  } as const;
  for (const [name, [help, field]] of Object.entries(ages)) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.reset();
        const counts = await read();
        if (counts) this.set(counts[field] / 1000);
        else this.remove();
      },
    });
  }
}

function sharedReading(read: ReadWorkCounts): () => Promise<WorkCounts | undefined> {
  let reading: Promise<WorkCounts | undefined> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readMs < VALID_MS && reading) return reading;
    readMs = performance.now();
    reading = read().catch(() => undefined);
    return reading;
  };
}
