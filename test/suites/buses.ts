import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { brokenRule } from '../../packages/conformance/src/broken-rule.ts';
import type { Bus } from '../../packages/storage/src/buses/bus.ts';

/** One rule that every bus must keep. */
export interface BusCase {
  readonly name: string;
  /** Rejects with an `AssertionError` when the bus breaks the rule. `other` is the bus of another process, or the same one. */
  run(run: { readonly bus: Bus; readonly other: Bus; readonly topic: string }): Promise<void>;
}

/** Runs one case. Rejects with an `AssertionError` that names the broken rule. */
export async function runBusCase(open: () => Promise<{ bus: Bus; other: Bus }>, testCase: BusCase): Promise<void> {
  const { bus, other } = await open();
  try {
    await testCase.run({ bus, other, topic: `conformance-${randomUUID()}` });
  } catch (error) {
    throw brokenRule('bus', testCase.name, error);
  } finally {
    await bus[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  }
}

const DEADLINE_MS = 10_000;

/** Publishes a message again and again, because a new subscription may miss some, until it arrives. */
async function reaches(bus: Bus, topic: string, has: () => boolean, message = 'probe'): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; !has(); ) {
    assert.ok(Date.now() < end, `no message of "${topic}" arrived within ${DEADLINE_MS} ms`);
    bus.publish(topic, message);
    await sleep(20);
  }
}

export const busCases: readonly BusCase[] = [
  {
    name: 'delivers messages to the listeners of all processes, in the order of their sender',
    async run({ bus, other, topic }) {
      const here: string[] = [];
      const there: string[] = [];
      bus.subscribe(topic, (message) => here.push(message));
      other.subscribe(topic, (message) => there.push(message));
      await reaches(bus, topic, () => here.includes('probe') && there.includes('probe'));
      const sent = Array.from({ length: 200 }, (_, index) => `${index} \u{1F600} "`);
      for (const message of sent) bus.publish(topic, message);
      await reaches(bus, topic, () => here.includes('end') && there.includes('end'), 'end');
      const seen = (messages: string[]) => messages.filter((message) => message !== 'probe' && message !== 'end');
      assert.deepEqual([seen(here), seen(there)], [sent, sent]);
    },
  },
  {
    name: 'keeps topics apart, also those with a common start',
    async run({ bus, other, topic }) {
      const seen: string[] = [];
      other.subscribe(topic, (message) => seen.push(message));
      await reaches(bus, topic, () => seen.includes('probe'));
      bus.publish(`${topic}x`, 'wrong');
      bus.publish(topic.slice(0, -1), 'wrong');
      await reaches(bus, topic, () => seen.includes('end'), 'end');
      assert.ok(!seen.includes('wrong'));
    },
  },
  {
    name: 'ends one subscription and keeps the others, also of the same function',
    async run({ bus, topic }) {
      const seen: string[] = [];
      const listener = (message: string) => seen.push(message);
      const end = bus.subscribe(topic, listener);
      bus.subscribe(topic, listener);
      await reaches(bus, topic, () => seen.includes('probe'));
      end();
      end();
      await reaches(bus, topic, () => seen.includes('after'), 'after');
      await sleep(50);
      seen.length = 0;
      bus.publish(topic, 'once');
      await reaches(bus, topic, () => seen.includes('end'), 'end');
      assert.equal(seen.filter((message) => message === 'once').length, 1);
    },
  },
  {
    name: 'delivers a message although another listener throws',
    async run({ bus, topic }) {
      const seen: string[] = [];
      bus.subscribe(topic, () => {
        throw new Error('a defect of this listener');
      });
      bus.subscribe(topic, (message) => seen.push(message));
      await reaches(bus, topic, () => seen.includes('probe'));
    },
  },
];
