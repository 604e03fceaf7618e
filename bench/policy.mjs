// node bench/policy.mjs: measures the microseconds of processor time of one decision with 100 rules, by the kind of their conditions.
import { createPolicy, settingsSchema } from '../packages/core/dist/internal.js';
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

const microseconds = Object.fromEntries(Object.entries(CASES).map(([name, condition]) => [name, measure(condition)]));
console.log(JSON.stringify({ rules: RULES, targetMicroseconds: TARGET_US, microseconds }, null, 2));
