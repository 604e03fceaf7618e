import type { BridgeAnswer } from '@toolwright/sandbox';
import { toFault } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';

/** Characters of a content in one answer. */
const PART = 4 * 1024 * 1024;
/** Longer parts are not in the journal, only their hash. */
export const MAX_RECORDED_CHARACTERS = 16 * 1024;
/** Stands in the journal for a part of a kept value: the request has its hash. */
const ELSEWHERE = '"kept"';
const OPERATION = /^\["keptValue",/;

/** Knows which contents a program received as they are stored. */
interface StoredContents {
  isStored(hash: string): boolean;
}

/** Reads the answer to a request for a part of a content again, as JSON text. */
export type StoredPart = (hash: string, at: number) => Promise<string>;

/** Returns the answer to a request for a part of a content: the part, and where the next one starts. */
export function partOf(content: string, at: number): readonly [text: string, next: number | null] {
  return [content.slice(at, at + PART), at + PART < content.length ? at + PART : null];
}

/** Returns the text for the journal of an answer. A long part of a kept value is not written, if the program received it as it is stored. */
export function recordedPart(request: string, answer: string, kept: StoredContents | undefined): string {
  if (answer.length <= MAX_RECORDED_CHARACTERS || !OPERATION.test(request)) return answer;
  const [, hash] = JSON.parse(request);
  return kept?.isStored(String(hash)) ? ELSEWHERE : answer;
}

/** Returns the recorded answer to a request. That of a long part of a kept value is read again; a fault if the session lacks it. */
export function wholeAnswer(
  request: string,
  recorded: BridgeAnswer,
  storedPart: StoredPart | undefined,
): BridgeAnswer | Promise<BridgeAnswer> {
  if (recorded.payload !== ELSEWHERE || !OPERATION.test(request)) return recorded;
  return readAgain(request, storedPart);
}

async function readAgain(request: string, storedPart: StoredPart = missing): Promise<BridgeAnswer> {
  const [, hash, at] = JSON.parse(request);
  try {
    return { ok: true, payload: await storedPart(String(hash), Number(at)) };
  } catch (error) {
    return { ok: false, payload: JSON.stringify(toFault(error, () => undefined).fault) };
  }
}

async function missing(): Promise<string> {
  throw new ToolwrightError('NOT_SUPPORTED', 'The kept values of this execution cannot be read here.');
}
