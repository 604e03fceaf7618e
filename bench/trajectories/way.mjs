// The transcript of a way of working, and its searches.
import { hasCall, isNamed } from '../tokens/arms/discovery.mjs';
import { addTurn, openTranscript, written } from '../tokens/transcript.mjs';

export const idOf = ({ server, name }) => `${server}__${name}`;
const wordsOf = ({ server, name }) => `${server} ${name.replaceAll(/[_-]/g, ' ')}`;

/** Opens a transcript. The system prompt of the record is in the cache like the definitions. */
export function openWay({ system }, definitions) {
  const transcript = openTranscript([...(system ? [system] : []), ...definitions], '');
  let texts = system;
  const note = (more) => {
    texts = [texts, ...more].join('\n');
  };
  return {
    transcript,
    /** Returns all texts that the model has read and written. */
    read: () => texts,
    /** Adds a message of the user. */
    hear(text) {
      note([text]);
      const last = transcript.turns.at(-1);
      if (last === undefined) transcript.prompt = [transcript.prompt, text].filter(Boolean).join('\n');
      else last.input.push(text);
    },
    /** Adds a text of the model without calls. */
    say(text) {
      note([text]);
      addTurn(transcript, 'answer', [text], []);
    },
    /** Adds a turn. `original` has the results without redaction. */
    turn(part, output, input, original = input) {
      note([...output, ...original]);
      addTurn(transcript, part, output.filter(Boolean), input);
    },
  };
}

/** Opens the searches of a conversation. `named` is a text with names of tools, which the model calls at once. */
export function openDiscovery(way, ask, named = '') {
  let shown = '';
  const find = async (queries, said = '') => {
    const request = { query: queries.join('\n') };
    const answer = await ask(request);
    shown = `${shown}\n${answer}`;
    way.turn('discovery', [said, written('search_tools', request)], [answer]);
  };
  const hasSignature = (call) => hasCall(idOf(call), shown);
  return {
    find,
    hasSignature,
    /** Searches for the tools of calls that no answer has shown. In a record without searches, all tools are searched for at the start. */
    async need({ steps }, calls) {
      const isAtStart = shown === '' && !steps.some(({ queries }) => queries?.length > 0);
      const wanted = isAtStart && calls.length > 0 ? steps.flatMap((step) => step.calls ?? []) : calls;
      for (const query of [wordsOf, idOf]) {
        const missing = wanted.filter((call) => !hasSignature(call) && !isNamed(idOf(call), named));
        const distinct = new Map(missing.map((call) => [idOf(call), call]));
        if (distinct.size > 0) await find([...distinct.values()].map(query));
      }
    },
  };
}
