import { type Command, defineCommand, pick, positive } from '@toolwright/core/command';
import { withToolwright } from '../lifetime.ts';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const executionsCommand: Command = defineCommand({
  name: 'executions',
  summary: 'List, show, decide about, continue and remove executions',
  usage: [
    '[list] [options]',
    'show ID [options]',
    'approve ID [--call N] [--next N] [--always SCOPE [--expires DATE]] [options]',
    'deny ID [--call N] [--note TEXT] [options]',
    'outcome ID --call N (--result JSON | --resend | --fail) [options]',
    'answer ID [--call N] [--answer JSON | --decline | --cancel] [options]',
    'resume ID [options]',
    'replay ID [options]',
    'diff ID ID [options]',
    'export ID [--out FILE] [options]',
    'files ID [--out FOLDER] [options]',
    'fork ID --at N [--source FILE] [--answer JSON] [options]',
    'lasting [options]',
    'revoke DECISION [options]',
    'remove ID [options]',
  ],
  options: {
    call: { type: 'string', value: 'N', text: 'Number of the call to decide about', defaultText: 'all open questions' },
    next: { type: 'string', value: 'N', text: 'Further calls of the same tool that the approval covers' },
    always: {
      type: 'string',
      value: 'SCOPE',
      text: 'approve: also later calls, with "exact" arguments, the same "targets", "any", or a SCHEMA',
    },
    expires: {
      type: 'string',
      value: 'DATE',
      text: 'End of a lasting approval',
      defaultText: 'when revoked; of targets, 90 days',
    },
    'no-resume': { type: 'boolean', text: 'approve: decide only' },
    note: { type: 'string', value: 'TEXT', text: 'Reason, which the program receives' },
    by: { type: 'string', value: 'NAME', text: 'Person who decides', defaultText: 'the user of the operating system' },
    result: { type: 'string', value: 'JSON', text: 'The call took effect, with this result' },
    resend: { type: 'boolean', text: 'The call took no effect: send it' },
    fail: { type: 'boolean', text: 'The call throws in the program' },
    decline: { type: 'boolean', text: 'answer: the person refuses' },
    cancel: { type: 'boolean', text: 'answer: there is no answer' },
    at: { type: 'string', value: 'N', text: 'Last call that a fork repeats with its recorded answer; 0 for none' },
    source: { type: 'string', value: 'FILE', text: 'Program of a fork, - for standard input', defaultText: 'the same' },
    answer: {
      type: 'string',
      value: 'JSON',
      text: "Answer to a server's question, or of the last call of a fork",
      defaultText: 'done, or as recorded',
    },
    real: { type: 'boolean', text: 'show: real arguments of open questions, for a person, never for a model' },
    out: {
      type: 'string',
      value: 'FILE',
      text: 'New file of an exported test, or folder of saved files',
      defaultText: 'standard output',
    },
    status: { type: 'string', value: 'NAME', text: 'List only executions of this status, such as suspended' },
    limit: { type: 'string', value: 'N', text: 'Maximum number of listed executions, up to 200', defaultText: '50' },
    user: { type: 'string', value: 'ID', text: 'User of the executions', defaultText: 'local' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    '"approve" and "deny" decide about calls that a policy asks about, or about all calls of a dry run.',
    '"approve" continues the execution when no question is left; with --no-resume or --json, it only decides.',
    '"outcome" decides about a call that was sent before a crash.',
    '"answer" answers a question of a server with the fields of its form, or says that a page or a login is done.',
    '"resume" continues an execution. "replay" runs it again with its journal, without tools, and compares everything.',
    '"diff" compares the calls, answers, logs and outcomes of two executions.',
    '"export" writes a test for vitest, or for pytest and unittest, in which the journal answers the tools.',
    '"files" lists the pictures and files that an execution shows, or saves them in a folder.',
    '"fork" starts a new execution: it repeats the first calls with their recorded answers, and sends the others.',
    '"lasting" lists the approvals with --always, and "revoke" ends one. A changed definition of the tool ends it too.',
    '"remove" deletes an execution that has ended: its journal and its files.',
  ],
  examples: [
    ['toolwright executions --status suspended', 'list the executions that wait'],
    ['toolwright executions fork 0f8fad5b-d9cb-469f-a165-70867728950e --at 3', 'run it again from call 4'],
    ['toolwright executions approve 0f8fad5b-d9cb-469f-a165-70867728950e', 'approve its open questions'],
  ],
  exitCodes: { 1: 'the program failed, or executions differ', 3: 'a limit stopped the program', 5: 'it is suspended' },
  async run(
    { config: path, json, user, call, next, by, status, limit, resend, fail, real, decline, cancel, ...texts },
    words,
    output,
  ) {
    const [{ findConfig }, { executions }] = await Promise.all([
      import('@toolwright/core/config'),
      import('./executions.ts'),
    ]);
    const more = `${user === undefined ? '' : ` --user ${user}`}${path === undefined ? '' : ` --config ${path}`}`;
    const calls = positive('call', call);
    const last = texts.at === '0' ? 0 : positive('at', texts.at);
    const args = {
      words,
      json,
      more,
      resend: resend === true,
      fail: fail === true,
      real: real === true,
      decline: decline === true,
      cancel: cancel === true,
      resumes: texts['no-resume'] !== true,
      ...pick('userId', user),
      ...pick('call', calls),
      ...pick('next', positive('next', next)),
      ...pick('by', by),
      ...pick('status', status),
      ...pick('limit', positive('limit', limit)),
      ...pick('note', texts.note),
      ...pick('always', texts.always),
      ...pick('expires', texts.expires),
      ...pick('result', texts.result),
      ...pick('at', last),
      ...pick('source', texts.source),
      ...pick('answer', texts.answer),
      ...pick('out', texts.out),
    };
    return withToolwright(pick('config', findConfig({ path })), (toolwright, signal) =>
      executions(toolwright, { ...args, signal }, output),
    );
  },
});
