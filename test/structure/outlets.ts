/** The outlets of one kind, with the number of their calls in a file. */
interface Group {
  /** How their text is redacted, or why it needs no redaction. */
  readonly redaction: string;
  readonly outlets: readonly string[];
}

const [core, server, commands] = ['packages/core/src', 'packages/server/src', 'packages/toolwright/src/commands'];

const GROUPS: readonly Group[] = [
  {
    redaction: '`redactOutcome` at the end of an execution, and `createOutputEvents` while it runs',
    outlets: [`${core}/api.ts: execute`],
  },
  { redaction: '`redact` of its session', outlets: [`${core}/api.ts: check`] },
  {
    redaction: 'for the interfaces, which redact it: an embedding program needs the definitions as they are',
    outlets: [
      'addServer',
      'describe',
      'directTools',
      'explain',
      'removeServer',
      'replaceServer',
      'search',
      'serverFiles',
      'servers',
      'skills',
      'tools',
    ].map((name) => `${core}/api.ts: ${name}`),
  },
  {
    redaction: 'for an administrator, who changes the entries of servers; their secrets are hidden',
    outlets: [`${server}/http/server-import.ts: context.json × 2`],
  },
  {
    redaction: 'texts of Toolwright alone',
    outlets: [
      ...['close', 'health', 'onToolsChanged', 'profiles', 'reload', 'sandbox'].map(
        (name) => `${core}/api.ts: ${name}`,
      ),
      ...['create', 'get', 'isNew', 'list', 'open', 'record', 'remove', 'spaceFor']
        .concat(['discard', 'end', 'isApplied', 'purge', 'removeExecution'])
        .map((name) => `${core}/sessions/session.ts: ${name}`),
      `${server}/http/documentation.ts: context.body × 2`,
      ...[`${server}/http/executions.ts: context.body`, `${server}/http/health.ts: context.json × 2`],
      ...[`${server}/http/malformed-requests.ts: socket.end`, `${server}/http/sessions.ts: context.body`],
      ...[`${server}/http/skills.ts: context.body`, `${server}/listen/open-server.ts: problemResponse`],
      ...[`${server}/listen/paced-connection.ts: socket.end`, `${server}/metrics.ts: context.body`],
      ...[`${server}/refusal.ts: problemResponse`, `${commands}/keys.ts: out × 3`, `${commands}/pii-vault.ts: out × 2`],
      `${commands}/migrate.ts: out`,
      `${commands}/backup/backup.ts: out`,
      `${commands}/backup/restore.ts: out`,
      ...[
        `${commands}/pii.ts: out × 3`,
        `${commands}/serve.ts: out × 3`,
        `${commands}/serve-worker.ts: out`,
        `${server}/http/admin.ts: context.body`,
      ],
      `${server}/dashboard/routes.ts: context.body × 2`,
      ...[`${server}/http/login-callback.ts: context.html × 4`, `${server}/http/logins.ts: context.json × 3`],
      ...[`${server}/http/dashboard-login.ts: context.json × 2`, `${server}/http/dashboard-login.ts: context.html`],
      ...[`${server}/http/dashboard-session.ts: context.json × 3`, `${server}/http/dashboard-session.ts: context.body`],
      ...[`${server}/http/usage.ts: context.json`, `${server}/http/usage.ts: context.body`],
      ...[`${commands}/servers/login.ts: out × 4`, `${commands}/dashboard.ts: out × 2`],
      ...[`${commands}/servers/remove.ts: out`, `${commands}/servers/secret.ts: out`],
    ],
  },
  {
    redaction: 'the journal and the session log, which are redacted when they are written',
    outlets: [
      ...[
        'calls',
        'cancel',
        'changes',
        'continueExecutions',
        'decide',
        'decisions',
        'diff',
        'exportTest',
        'fork',
        'get',
        'list',
      ],
      ...['journal', 'questions', 'remove', 'replay', 'resume'],
    ]
      .map((name) => `${core}/execution/executions.ts: ${name}`)
      .concat([
        ...['find', 'follow', 'scan'].map((name) => `${core}/execution/listing/listed-execution.ts: ${name}`),
        ...[`${core}/sessions/session.ts: log`, `${server}/http/decisions.ts: context.json × 5`],
        ...[`${server}/http/event-stream.ts: streamEvents`, `${server}/http/execute.ts: context.json × 2`],
        ...[`${server}/http/execution-events.ts: streamEvents`, `${server}/http/executions.ts: context.json × 3`],
        ...[`${server}/http/execution-feed.ts: streamEvents`, `${server}/http/execution-list.ts: context.json`],
        ...[
          `${server}/http/execution-history.ts: context.json × 3`,
          `${server}/http/execution-history.ts: context.body`,
        ],
        `${server}/http/execution-values.ts: context.json`,
        `${server}/http/drafts.ts: context.json × 2`,
        ...[`${server}/http/dry-runs.ts: context.json`, `${server}/http/decided-questions.ts: context.json`],
        ...[`${server}/http/approvals.ts: context.json × 2`, `${server}/http/tool-call.ts: context.json`],
        ...[`${server}/http/fork.ts: context.json`, `${server}/http/sessions.ts: context.json × 3`],
        ...[`${commands}/executions.ts: out × 14`, `${commands}/executions/diff.ts: out × 2`],
        ...[`${commands}/executions/export.ts: out × 2`, `${commands}/executions/export.ts: writeFile`],
        ...[`${commands}/executions/fork.ts: out`, `${commands}/executions/replay.ts: out × 3`],
        ...[`${commands}/print-result.ts: out × 2`, `${commands}/run.ts: out`, `${commands}/sessions.ts: out × 7`],
        `${commands}/policy-program.ts: out × 2`,
      ]),
  },
  {
    redaction: '`redact` of the session; `withRedactedErrors` and `redactError` for errors',
    outlets: [
      ...['call', 'failedTool', 'files', 'lookups', 'onWarning'].map(
        (name) => `${core}/execution/guest-host.ts: ${name}`,
      ),
      ...['derive', 'details', 'execution', 'list', 'match', 'module', 'search', 'show', 'skill', 'skillText'].map(
        (name) => `${core}/execution/guest-operations.ts: ${name}`,
      ),
    ],
  },
  {
    redaction: '`redactResponse` and `redactError`; `execute_code` is redacted by the execution',
    outlets: [`${server}/mcp/serve-tools.ts: setRequestHandler × 2`],
  },
  {
    redaction: '`redactedText`',
    outlets: [
      `${server}/mcp.ts: instructions:`,
      `${server}/mcp/resources.ts: registerResource × 2`,
      `${server}/mcp/session-files.ts: registerResource`,
    ],
  },
  {
    redaction: '`createServerContext`: each list, resource, prompt, completion and error of a server',
    outlets: [
      `${server}/mcp/context/prompts.ts: setRequestHandler × 3`,
      `${server}/mcp/context/resources.ts: registerResource`,
      `${server}/mcp/context/resources.ts: setRequestHandler × 2`,
      `${server}/http/resources.ts: context.json × 4`,
      ...[`${commands}/resources.ts: out × 5`, `${commands}/resources.ts: writeFile`],
      `${commands}/resources/prompts.ts: out × 4`,
      `${server}/mcp/context/subscriptions.ts: setRequestHandler × 2`,
    ],
  },
  {
    redaction: 'the redacted results of executions, `pii.redact` on errors, and real arguments in forms for a person',
    outlets: [`${server}/mcp/tasks/serve-tasks.ts: setRequestHandler × 3`],
  },
  { redaction: '`pii.redact` on each file of a skill', outlets: [`${server}/mcp/skill-source.ts: SkillsExtension`] },
  {
    redaction: 'the execution redacts its log lines and progress',
    outlets: [`${server}/mcp/execution.ts: mcpReq.log`, `${server}/mcp/progress.ts: mcpReq.notify`],
  },
  {
    redaction: 'for a person: the client shows the dialog, and the model does not receive it',
    outlets: [
      ...[`${server}/mcp/approval-form.ts: elicit`, `${server}/mcp/personal-data.ts: elicit`],
      `${server}/mcp/input-form.ts: elicit`,
    ],
  },
  {
    redaction: 'the prompt, the request and all results of tools are redacted before they become messages',
    outlets: [`${server}/agent/ask-model.ts: model.answer`],
  },
  {
    redaction: 'the execution redacts the request of a server before a model reads it',
    outlets: [`${server}/models/sampler.ts: model.answer`],
  },
  {
    redaction: 'transcripts are redacted; the answer is restored for the user of the task',
    outlets: [`${server}/http/tasks.ts: context.json × 5`, `${server}/http/task-events.ts: streamEvents`],
  },
  {
    redaction: '`redactedFailure`',
    outlets: [`${server}/http.ts: problemResponse`, `${server}/http/problem.ts: problemResponse`],
  },
  {
    redaction: '`pii.redact`',
    outlets: [
      `${server}/http/admin.ts: context.json × 5`,
      `${server}/http/tools.ts: context.json × 3`,
      ...[`${server}/http/servers.ts: context.json`, `${server}/http/policy.ts: context.json`],
      `${server}/http/policy-rules.ts: context.json`,
      `${server}/http/pins.ts: context.json × 2`,
    ],
  },
  {
    redaction: 'files of the user, byte for byte: an application writes and reads them. Programs write placeholders',
    outlets: [
      ...[`${core}/sessions/session.ts: files`, `${core}/sessions/session.ts: result`],
      ...[`${core}/sessions/session.ts: stored`, `${core}/execution/executions.ts: file`],
      ...[`${server}/http/files.ts: context.body × 3`, `${server}/http/execution-values.ts: context.body`],
      ...[`${server}/http/files.ts: context.json`, `${server}/http/skills.ts: context.json × 4`],
    ],
  },
  {
    redaction: '`redactedFor`',
    outlets: [
      ...[
        `${commands}/doctor.ts: out × 2`,
        `${commands}/policy.ts: out × 3`,
        `${commands}/skill-folders.ts: out × 5`,
        `${commands}/skills.ts: out × 4`,
      ],
      ...[`${commands}/servers/add.ts: out`, `${commands}/servers/list.ts: out × 4`],
      ...[`${commands}/tools.ts: out × 6`, `${commands}/tools/pins.ts: out × 3`],
      `${commands}/tools/check.ts: out × 4`,
    ],
  },
  {
    redaction: 'the output of all commands, and their errors, which `withToolwright` redacts',
    outlets: ['packages/toolwright/src/cli.ts: out × 2', 'packages/toolwright/src/cli.ts: stream.write'],
  },
  {
    redaction: 'configurations of the user, without secrets; the files themselves stay as they are',
    outlets: [
      ...[`${commands}/servers/import.ts: out × 2`, `${commands}/servers/install.ts: out × 2`],
      `${commands}/servers/install.ts: writeFile × 2`,
    ],
  },
  { redaction: 'workflows that the user has written', outlets: ['packages/n8n/src/run-command.ts: out × 8'] },
];

/** How each outlet to a model, a program or a reader of a command is redacted. Add a new one only with its redaction. */
export const OUTLETS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ redaction, outlets }) => outlets.map((outlet): [string, string] => [outlet, redaction])),
);
