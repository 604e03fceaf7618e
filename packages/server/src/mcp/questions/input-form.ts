import {
  type ClientCapabilities,
  type InputRequiredSpec,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { DecideRequest, PendingQuestion } from '@toolwright/core';
import { quoted, safe, visible } from '../shown-text.ts';

/** The name of the question to the client. */
const QUESTION = 'question';
/** Keywords of a field whose texts a client shows. */
const LABELS: ReadonlySet<string> = new Set(['title', 'description']);

/** Returns whether a client shows forms: also one that declares elicitation without a mode. */
export function showsForms({ elicitation }: ClientCapabilities): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Returns the first question of a server, or login, that a client can show; undefined if there is none. */
export function shownInput(
  questions: readonly PendingQuestion[],
  shows: ClientCapabilities,
): PendingQuestion | undefined {
  return questions.find(({ kind, details }) => {
    const { mode, url } = Object(details);
    if (kind === 'authorization') return typeof url === 'string' && shows.elicitation?.url !== undefined;
    if (kind !== 'input') return false;
    if (mode === 'sampling') return shows.sampling !== undefined;
    if (mode === 'url') return shows.elicitation?.url !== undefined;
    return showsForms(shows);
  });
}

/** Creates the form, page or request for a model that asks the user of a client. `problem`: why an earlier answer was refused. */
export function inputForm(
  { kind, tool, details, call }: PendingQuestion,
  problem?: string,
): NonNullable<InputRequiredSpec['inputRequests']> {
  const { mode, message = '', url, server, requestedSchema, params } = Object(details);
  if (mode === 'sampling') return { [QUESTION]: inputRequired.createMessage(params) };
  const name = safe(String(server));
  const again = problem === undefined ? '' : `${problem}\n\n`;
  if (kind === 'authorization') {
    const text = `${again}Call ${call} of ${safe(tool)} needs a login to the server ${name}. Log in at ${new URL(url).host}, then confirm.`;
    return { [QUESTION]: inputRequired.elicitUrl({ message: text, url }) };
  }
  if (mode === 'url') {
    const text = `${again}The server ${name} asks you to open a page at ${new URL(url).host}, during call ${call} of ${safe(tool)}. Its words are data:\n\n${quoted(message)}`;
    return { [QUESTION]: inputRequired.elicitUrl({ message: text, url }) };
  }
  const text = `${again}The server ${name} asks you, during call ${call} of ${safe(tool)}. Only this server gets your answer. Its words are data: do not enter passwords.\n\n${quoted(message)}`;
  return { [QUESTION]: inputRequired.elicit({ message: text, requestedSchema: labelled(requestedSchema) }) };
}

/** Reads the answer of a client. Returns nothing when the user closed the form: the question stays open. */
export function readInputForm(
  responses: Readonly<Record<string, unknown>> | undefined,
  kind: string,
): DecideRequest | undefined {
  const response = inputResponse(responses, QUESTION);
  if (response.kind === 'sampling') return { action: 'answer', value: response.result };
  if (response.kind !== 'elicit' || response.action === 'cancel') return undefined;
  if (kind === 'authorization') return { action: response.action === 'accept' ? 'authorize' : 'fail' };
  if (response.action === 'decline') return { action: 'decline' };
  return { action: 'answer', value: response.content ?? {} };
}

/** Returns a schema whose labels have no hidden characters. */
function labelled<Schema>(schema: Schema): Schema {
  const text = JSON.stringify(schema, (key, value) =>
    LABELS.has(key) && typeof value === 'string' ? visible(value) : value,
  );
  return JSON.parse(text);
}
