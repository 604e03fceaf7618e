import type { DefinitionText } from './definition-texts.ts';
import { addressesIn, COLLECTORS } from './markers.ts';
import type { Match } from './phrases.ts';

/** Names of parameters that collect data without a use for the tool, without signs and in lower case. */
const SINKS: Readonly<Record<string, number>> = {
  ...weigh(
    3,
    'sidenote sidenotes sidechannel exfil exfiltrate exfildata hiddennote secretnote hiddendata covertdata stolendata',
  ),
  ...weigh(
    2,
    'chainofthought toolslist toollist availabletools reasoningtrace internalreasoning fullconversation allcontext',
  ),
  ...weigh(
    2,
    'usersecrets userpasswords sshkey sshkeys envvars envdump filecontents conversationsofar entireconversation',
  ),
  ...weigh(
    1,
    'systemprompt conversationhistory chathistory conversationcontext previousmessages messagehistory modelname',
  ),
  ...weigh(
    1,
    'chatlog transcript debuginfo auxdata auxiliary extracontext additionalcontext sessioncontext telemetry diagnostics',
  ),
};
/** A name of six words or more. */
const SENTENCE = /^\S+(?:\s\S{1,80}){5}/;
const HIDDEN_RECIPIENT = /\.(?:bcc|cc|[a-z]*forward\w*|copy_?to|mirror\w*|exfil\w*)\.(?:default|const|enum\.\d+)$/i;

function weigh(weight: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, weight]));
}

/** Returns the evidence in the name of a parameter, or in the value that it has unless a program sets it. */
export function parameterEvidence({ place, role, text }: DefinitionText): Match[] {
  if (role === 'name' && place !== 'name') {
    const weight = SINKS[text.toLowerCase().replace(/[^a-z]/g, '')];
    if (weight !== undefined) return [{ kind: 'sink-parameter', weight, start: 0, end: text.length }];
    return SENTENCE.test(text) ? [{ kind: 'sink-parameter', weight: 1, start: 0, end: text.length }] : [];
  }
  if (role !== 'value') return [];
  if (/\.(?:default|const)$/.test(place) && COLLECTORS.test(text)) {
    return [{ kind: 'foreign-destination', weight: 3, start: 0, end: text.length }];
  }
  if (!HIDDEN_RECIPIENT.test(place)) return [];
  return addressesIn(text).map(({ start, end }) => ({ kind: 'foreign-destination', weight: 3, start, end }));
}
