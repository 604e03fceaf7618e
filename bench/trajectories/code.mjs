// The way of working with programs, which really run: the tools answer with the recorded results.
import { written } from '../tokens/transcript.mjs';
import { needsRest } from './batching.mjs';
import { isIn, programsOf } from './flow.mjs';
import { usedShape, writtenAfter } from './parts.mjs';
import { codeOf } from './programs.mjs';
import { idOf, openDiscovery, openWay } from './way.mjs';

/**
 * Search, then programs that return their results in full. Where the instructions name the tools, the model calls at once. Options:
 * - `joins`: calls are joined by data flow. Otherwise each is a program.
 * - `guesses`: the model guesses the arguments of a named tool. Otherwise the first call of each is wrong, and an error shows the signature.
 * - `searches`: the model searches for named tools too.
 * - `parts`: a program returns only the parts of results that the model uses later.
 *
 * Where an answer is a preview, another program reads the whole value if the model uses more of it later.
 */
export async function code(record, setup, options = {}) {
  const { agent, ask } = setup;
  const way = openWay(record, [...agent.definitions, agent.instructions]);
  const discovery = openDiscovery(way, ask, options.searches ? '' : agent.instructions);
  const run = openRuns(record, way, { ...setup, discovery }, options);
  let waiting = [];
  const runWaiting = async () => {
    const calls = waiting.flatMap((step) => step.calls);
    const texts = new Map(waiting.map((step) => [step.calls[0], step.text]));
    waiting = [];
    for (const program of split(calls, way, setup, options)) {
      await discovery.need(record, program);
      await run(
        program,
        program.map((call) => texts.get(call) ?? ''),
      );
    }
  };
  for (const step of record.steps) {
    if (step.calls?.length > 0) {
      waiting.push(step);
      continue;
    }
    await runWaiting();
    if (step.user !== undefined) way.hear(step.user);
    else if (step.queries.length > 0) await discovery.find(step.queries, step.text);
    else way.say(step.text);
  }
  await runWaiting();
  return way.transcript;
}

const split = (calls, way, { definitionOf }, { joins = true }) =>
  joins ? programsOf(calls, way.read(), definitionOf) : calls.map((call) => [call]);

/** Returns a function that runs a program, and before it a wrong one where the model has not seen the signature of a tool. */
function openRuns(record, way, { agent, replay, discovery }, { guesses = true, parts = false }) {
  const seen = new Set();
  const execute = async (source, expected, said) => {
    replay.expect(expected);
    const { text, isError } = await agent.call('execute_code', { code: source });
    if (text.includes(replay.UNEXPECTED)) throw new Error(`${record.id}: ${text}\n${source}`);
    if (isError !== (expected.at(-1)?.isError ?? true))
      throw Object.assign(new Error(`${text}\n${source}`), { code: 'NOT_REPLAYED' });
    const output = [...said, written('execute_code', { code: source })];
    const known = way.read();
    const whole = expected.map((call) => call.text);
    const [read] = /await execution\("[^"]+"\)/.exec(text) ?? [];
    way.turn('code', output, [text], read === undefined ? [text, ...whole] : [text]);
    if (read !== undefined && expected.some((call) => needsRest(record, call, text, known)))
      way.turn('code', [written('execute_code', { code: `return ${read}` })], [whole.join('\n')]);
  };
  return async (program, said) => {
    const known = way.read();
    const isKnown = (leaf) => isIn(leaf, known);
    const isSeen = (call) => guesses || seen.has(idOf(call)) || discovery.hasSignature(call);
    const first = program.map((call) => (isSeen(call) ? call : misnamed(call)));
    const isWrong = first.some((call, index) => call !== program[index]);
    if (isWrong) await execute(codeOf(first, isKnown), [], said);
    for (const call of program) seen.add(idOf(call));
    const shapes = program.map((call) => !parts || usedShape(call, writtenAfter(record, call)));
    await execute(codeOf(program, isKnown, shapes), program, isWrong ? [] : said);
  };
}

/** Returns a call with a wrong name of its first argument. */
function misnamed(call) {
  const [first, ...rest] = Object.entries(call.arguments);
  if (first === undefined) return call;
  return { ...call, arguments: Object.fromEntries([[`${first[0]}_value`, first[1]], ...rest]) };
}
