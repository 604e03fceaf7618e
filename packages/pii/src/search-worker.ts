// Searches large texts in a thread of its own, so that the event loop of the main thread serves other work meanwhile.
import { parentPort } from 'node:worker_threads';
import { valueSteps } from './detection/documents/text.ts';
import { kindOfSpan, type LeafSearch } from './detection/large-text.ts';
import { allMatchSteps } from './known-values/encoded-matches.ts';
import { finderOf, type ValuesSearch } from './known-values/large-text.ts';
import { atOnce } from './slices.ts';
import { packFound, type SearchRequest, unpack } from './workers/message.ts';

type Search = LeafSearch | ValuesSearch;

parentPort?.on('message', ({ parts, search }: SearchRequest<Search>) => {
  const numbers = found(unpack(parts), search);
  parentPort?.postMessage(numbers, [numbers.buffer]);
});

function found(text: string, search: Search): Uint32Array<ArrayBuffer> {
  if ('leaf' in search) return packFound(atOnce(valueSteps(text, search.leaf)), kindOfSpan);
  const indexes = new Map(search.values.map(({ name }, index) => [name, index]));
  return packFound(atOnce(allMatchSteps(finderOf(search.values), text)), ({ name }) => indexes.get(name) ?? 0);
}
