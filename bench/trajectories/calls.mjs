// Ways of working in which each result passes through the model. Calls, results and texts of the model are those of the record.
import { CALL_TOOL, shownDefinition } from '../tokens/agent.mjs';
import { written } from '../tokens/transcript.mjs';
import { idOf, openDiscovery, openWay } from './way.mjs';

/** All definitions are shown. The turns that only searched are left out. */
export async function direct(record, { definitions }) {
  const way = openWay(record, definitions);
  for (const step of record.steps) {
    if (step.user !== undefined) way.hear(step.user);
    else if (step.queries.length === 0) takeTurn(way, step, (call) => written(idOf(call), call.arguments));
  }
  return way.transcript;
}

/** Search, then one call in each turn, or several where the record has several. */
export async function search(record, { agent, ask }) {
  const way = openWay(record, [agent.searchDefinition, shownDefinition(CALL_TOOL)]);
  const discovery = openDiscovery(way, ask);
  const write = (call) => written(CALL_TOOL.name, { name: idOf(call), arguments: call.arguments });
  for (const step of record.steps) {
    if (step.user !== undefined) way.hear(step.user);
    else if (step.queries.length > 0) await discovery.find(step.queries, step.text);
    else {
      await discovery.need(record, step.calls);
      takeTurn(way, step, write);
    }
  }
  return way.transcript;
}

function takeTurn(way, { text, calls }, write) {
  if (calls.length === 0) way.say(text);
  else
    way.turn(
      'calls',
      [text, ...calls.map(write)],
      calls.map((call) => call.text),
    );
}
