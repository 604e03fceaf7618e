// node bench/policy.mjs: measures the microseconds of processor time of one decision. The first ones have 100 rules, by the kind of their conditions.
// The others are of the preset `guarded`, by the number of receivers.
import { createPolicy, openOrigins, settingsSchema, shownOrigins } from '../packages/core/dist/internal.js';
import { round } from './measure.mjs';

const RULES = 100;
const CALLS = 50_000;
const ROUNDS = 9;
const TARGET_US = 20;

const mail = { id: 'mail__send', server: 'mail', definition: { name: 'send', inputSchema: true } };
const args = { to: 'ada@example.com', subject: 'Report of the quarter', body: 'The report is attached. '.repeat(20) };
const call = { tool: mail, arguments: args, userId: 'ada@example.com', sessionId: 'pay-1' };
const schema = (index) => ({
  required: ['to'],
  properties: { to: { type: 'string', pattern: `@example${index}\\.com$` }, subject: { maxLength: 200 } },
});

/** Rules that do not match the call, so that all of them are evaluated. */
const CASES = {
  'other tools': (index) => ({ tools: `crm__delete_${index}*` }),
  'other users': (index) => ({ tools: 'mail__*', users: `*-${index}@example.com` }),
  'other arguments, by glob': (index) => ({ tools: 'mail__*', argumentGlobs: { to: `*@example${index}.com` } }),
  'other arguments, by JSON Schema': (index) => ({ tools: 'mail__*', arguments: schema(index) }),
  'one in ten for the tool, by JSON Schema': (index) => ({
    tools: index % 10 === 0 ? 'mail__*' : `crm__${index}_*`,
    arguments: schema(index),
  }),
};

/** Returns the microseconds of processor time of a decision: the median of several rounds. */
function measure(condition) {
  const rules = Array.from({ length: RULES }, (_, index) => ({ ...condition(index), action: 'allow' }));
  const policy = createPolicy(settingsSchema.shape.policy.parse({ preset: 'careful', rules }));
  const samples = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    for (let index = 0; index < CALLS; index++) {
      if (policy.decide(call).action !== 'ask') throw new Error('a rule matched');
    }
    return process.cpuUsage(start).user / CALLS;
  });
  return round(samples.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]);
}

const RECEIVERS = [1, 5, 50];
const DECISIONS = 5_000;
const GUARDED_TARGET_US = 200;
const properties = {
  to: { type: 'array', items: { type: 'string' } },
  subject: { type: 'string' },
  body: { type: 'string' },
};
const send = { ...mail, definition: { name: 'send', inputSchema: { type: 'object', properties } } };
const list = { id: 'mail__list', server: 'mail', definition: { name: 'list', inputSchema: true } };
const people = (count, name) => Array.from({ length: count }, (_, index) => `${name}${index}@example.com`);

/**
 * Returns the median and the 99th percentile of the processor time of a whole decision, with the origins for the journal. The program has
 * received 200 mails. The receivers are in a request of 4,000 characters, or nowhere.
 */
async function measureGuarded(count, isRequested) {
  const policy = createPolicy(settingsSchema.shape.policy.parse({ preset: 'guarded' }));
  const request = `Write to ${people(50, 'ada').join(', ')}. ${'Keep it short and polite. '.repeat(110)}`;
  const rules = policy.origins;
  const origins = openOrigins({
    rules,
    request,
    source: 'send()'.repeat(200),
    isOwnProgram: true,
    noteSeen: async () => {},
  });
  const mails = people(200, 'eve').map((from, id) => ({
    id,
    from,
    subject: `Subject ${id}`,
    body: 'Some words. '.repeat(40),
  }));
  await origins.received(1, list, mails);
  const times = [];
  for (let at = -1_000; at < DECISIONS; at++) {
    const given = { ...args, to: people(count, isRequested ? 'ada' : `bob${at}x`) };
    const start = process.cpuUsage();
    const known = origins.of(send, given, given);
    const { action } = policy.decide({ ...call, tool: send, arguments: given, origins: known });
    shownOrigins(known);
    const { user, system } = process.cpuUsage(start);
    if (at >= 0) times.push(user + system);
    if ((action === 'allow') !== isRequested) throw new Error(`decided ${action}`);
  }
  times.sort((a, b) => a - b);
  return { p50: round(times[DECISIONS / 2]), p99: round(times[Math.floor(DECISIONS * 0.99)]) };
}

const microseconds = Object.fromEntries(Object.entries(CASES).map(([name, condition]) => [name, measure(condition)]));
const guarded = {};
for (const count of RECEIVERS) {
  guarded[`${count} receivers of the request`] = await measureGuarded(count, true);
  guarded[`${count} unknown receivers`] = await measureGuarded(count, false);
}
const targets = { targetMicroseconds: TARGET_US, guardedTargetMicroseconds: GUARDED_TARGET_US };
console.log(JSON.stringify({ rules: RULES, ...targets, microseconds, guarded }, null, 2));
