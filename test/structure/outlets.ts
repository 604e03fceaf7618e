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
    outlets: [`${server}/http/servers/server-import.ts: context.json × 2`],
  },
  {
    redaction: 'texts of Toolwright alone',
    outlets: [
      ...['clientHeaders', 'close', 'health', 'onToolsChanged', 'profiles', 'reload', 'sandbox'].map(
        (name) => `${core}/api.ts: ${name}`,
      ),
      ...['create', 'get', 'isNew', 'list', 'open', 'record', 'remove', 'spaceFor']
        .concat(['close', 'discard', 'end', 'has', 'isApplied', 'kept', 'purge', 'removeExecution'])
        .map((name) => `${core}/sessions/session.ts: ${name}`),
      `${server}/http/admin/documentation.ts: context.body × 2`,
      ...[`${server}/http/executions/executions.ts: context.body`, `${server}/http/admin/health.ts: context.json × 2`],
      ...[
        `${server}/http/requests/malformed-requests.ts: socket.end`,
        `${server}/http/sessions/sessions.ts: context.body`,
      ],
      ...[`${server}/http/sessions/skills.ts: context.body`, `${server}/listen.ts: problemResponse`],
      ...[`${server}/listen/paced-connection.ts: socket.end`, `${server}/metrics/metrics.ts: context.body`],
      ...[
        `${server}/refusal.ts: problemResponse`,
        `${commands}/keys/keys.ts: out × 3`,
        `${commands}/pii/pii-vault.ts: out × 2`,
      ],
      `${commands}/migrate/migrate.ts: out`,
      `${commands}/backup/backup.ts: out`,
      `${commands}/backup/restore.ts: out`,
      ...[
        `${commands}/pii/pii.ts: out × 3`,
        `${commands}/serve/serve.ts: out × 3`,
        `${commands}/serve/serve-worker.ts: out`,
        `${server}/http/admin/admin.ts: context.body`,
      ],
      `${server}/dashboard/routes.ts: context.body × 2`,
      ...[
        `${server}/http/servers/login-callback.ts: context.html × 4`,
        `${server}/http/servers/logins.ts: context.json × 3`,
      ],
      ...[`${server}/auth/dashboard-login.ts: context.json × 2`, `${server}/auth/dashboard-login.ts: context.html`],
      ...[`${server}/auth/dashboard-session.ts: context.json × 3`, `${server}/auth/dashboard-session.ts: context.body`],
      ...[`${server}/http/usage/usage.ts: context.json`, `${server}/http/usage/usage.ts: context.body`],
      ...[`${commands}/servers/login.ts: out × 4`, `${commands}/dashboard/dashboard.ts: out × 2`],
      ...[`${commands}/servers/remove.ts: out`, `${commands}/servers/secret.ts: out`],
    ],
  },
  {
    redaction: 'the journal and the session log, which are redacted when they are written',
    outlets: [
      ...['calls', 'cancel', 'continueExecutions', 'decide', 'decisions', 'diff', 'exportTest', 'fork', 'get', 'list'],
      ...['journal', 'questions', 'remove', 'replay', 'resume'],
    ]
      .map((name) => `${core}/execution/executions.ts: ${name}`)
      .concat([
        ...['changes', 'find', 'follow', 'scan'].map((name) => `${core}/history/listing/listed-execution.ts: ${name}`),
        ...[`${core}/sessions/session.ts: log`, `${server}/http/approvals/decisions.ts: context.json × 5`],
        ...[
          `${server}/http/requests/event-stream.ts: streamEvents`,
          `${server}/http/executions/execute.ts: context.json × 2`,
        ],
        ...[
          `${server}/http/events/execution-events.ts: streamEvents`,
          `${server}/http/executions/executions.ts: context.json × 3`,
        ],
        ...[
          `${server}/http/events/execution-feed.ts: streamEvents`,
          `${server}/http/executions/execution-list.ts: context.json`,
        ],
        ...[
          `${server}/http/executions/execution-history.ts: context.json × 3`,
          `${server}/http/executions/execution-history.ts: context.body`,
        ],
        `${server}/http/executions/execution-values.ts: context.json`,
        `${server}/http/pages.ts: context.json × 3`,
        ...[
          `${server}/http/approvals/dry-runs.ts: context.json`,
          `${server}/http/approvals/decided-questions.ts: context.json`,
        ],
        ...[
          `${server}/http/approvals/approvals.ts: context.json × 2`,
          `${server}/http/servers/tool-call.ts: context.json`,
        ],
        ...[`${server}/http/executions/fork.ts: context.json`, `${server}/http/sessions/sessions.ts: context.json × 3`],
        ...[`${commands}/executions/executions.ts: out × 11`, `${commands}/executions/executions.ts: writeFile`],
        `${commands}/executions/diff.ts: out × 2`,
        ...[`${commands}/executions/decide.ts: out × 3`, `${commands}/executions/list.ts: out × 2`],
        ...[`${commands}/executions/show.ts: out × 4`, `${commands}/executions/resume.ts: out`],
        ...[
          `${commands}/run/print-result.ts: out × 2`,
          `${commands}/run/run.ts: out`,
          `${commands}/sessions/sessions.ts: out × 7`,
        ],
        `${commands}/policy/policy-program.ts: out × 2`,
      ]),
  },
  {
    redaction: '`redact` of the session; `withRedactedErrors` and `redactError` for errors',
    outlets: [
      ...['call', 'failedTool', 'files', 'lookups'].map((name) => `${core}/execution/guest/guest-host.ts: ${name}`),
      ...[
        'age',
        'category',
        'compute',
        'derive',
        'details',
        'equal',
        'execution',
        'list',
        'match',
        'module',
        'order',
        'search',
        'server',
        'show',
        'skill',
        'skillText',
        'transform',
      ].map((name) => `${core}/execution/guest/guest-operations.ts: ${name}`),
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
      `${server}/mcp/sessions/execution-files.ts: registerResource`,
      `${server}/mcp/sessions/session-files.ts: registerResource`,
    ],
  },
  {
    redaction: '`createServerContext`: each list, resource, prompt, completion and error of a server',
    outlets: [
      `${server}/mcp/context/prompts.ts: setRequestHandler × 3`,
      `${server}/mcp/context/resources.ts: registerResource`,
      `${server}/mcp/context/resources.ts: setRequestHandler × 2`,
      `${server}/http/servers/resources.ts: context.json × 4`,
      ...[`${commands}/resources/resources.ts: out × 5`, `${commands}/resources/resources.ts: writeFile`],
      `${commands}/resources/prompts.ts: out × 4`,
      `${server}/mcp/context/subscriptions.ts: setRequestHandler × 2`,
    ],
  },
  {
    redaction: 'the redacted results of executions, `pii.redact` on errors, and real arguments in forms for a person',
    outlets: [`${server}/mcp/tasks/serve-tasks.ts: setRequestHandler × 3`],
  },
  {
    redaction: '`pii.redact` on each file of a skill',
    outlets: [`${server}/mcp/skills/skill-source.ts: SkillsExtension`],
  },
  {
    redaction: 'the execution redacts its log lines and progress',
    outlets: [`${server}/mcp/execution.ts: mcpReq.log`, `${server}/mcp/execution.ts: mcpReq.notify`],
  },
  {
    redaction: 'for a person: the client shows the dialog, and the model does not receive it',
    outlets: [
      ...[`${server}/mcp/questions/approval-form.ts: elicit`, `${server}/mcp/handlers.ts: elicit`],
      `${server}/mcp/questions/input-form.ts: elicit`,
    ],
  },
  {
    redaction: 'the prompt, the request and all results of tools are redacted before they become messages',
    outlets: [`${server}/agent/loop/ask-model.ts: model.answer`],
  },
  {
    redaction: 'the execution redacts the request of a server before a model reads it',
    outlets: [`${server}/models/sampler.ts: model.answer`],
  },
  {
    redaction: 'transcripts are redacted; the answer is restored for the user of the task',
    outlets: [`${server}/http/tasks/tasks.ts: context.json × 5`, `${server}/http/events/task-events.ts: streamEvents`],
  },
  {
    redaction: '`redactedFailure`',
    outlets: [`${server}/http.ts: problemResponse`, `${server}/http/requests/problem.ts: problemResponse`],
  },
  {
    redaction: '`pii.redact`',
    outlets: [
      `${server}/http/admin/admin.ts: context.json × 5`,
      `${server}/http/servers/tools.ts: context.json × 3`,
      ...[`${server}/http/servers/servers.ts: context.json`, `${server}/http/servers/policy.ts: context.json`],
      `${server}/http/servers/policy-rules.ts: context.json`,
      `${server}/http/servers/pins.ts: context.json × 2`,
    ],
  },
  {
    redaction: 'files of the user, byte for byte: an application writes and reads them. Programs write placeholders',
    outlets: [
      ...[`${core}/sessions/session.ts: files`, `${core}/sessions/session.ts: result`],
      ...[`${core}/sessions/session.ts: stored`, `${core}/execution/executions.ts: file`],
      ...['executions/files.ts: out × 4', 'sessions/files.ts: out × 3', 'sessions/files.ts: writeFile'].map(
        (name) => `packages/toolwright/src/commands/${name}`,
      ),
      ...[
        `${server}/http/sessions/files.ts: context.body × 3`,
        `${server}/http/executions/execution-values.ts: context.body`,
      ],
      ...[`${server}/http/sessions/files.ts: context.json`, `${server}/http/sessions/skills.ts: context.json × 4`],
    ],
  },
  {
    redaction: '`redactedFor`',
    outlets: [
      ...[
        `${commands}/doctor/doctor.ts: out × 2`,
        `${commands}/policy/policy.ts: out × 3`,
        `${commands}/skills/skill-folders.ts: out × 5`,
        `${commands}/skills/skills.ts: out × 4`,
      ],
      ...[`${commands}/servers/add.ts: out`, `${commands}/servers/list.ts: out × 4`],
      ...[`${commands}/packages/packages.ts: out × 4`, `${commands}/servers/registry/commands.ts: out × 3`],
      ...[`${commands}/tools/tools.ts: out × 6`, `${commands}/tools/pins.ts: out × 3`],
      `${commands}/tools/check.ts: out × 5`,
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
      ...[`${commands}/servers/install.ts: writeFile × 2`, `${commands}/init/init.ts: out`],
    ],
  },
  {
    redaction: 'a server of its own, whose results Toolwright redacts',
    outlets: ['packages/toolwright/src/notes-server.ts: stdout.write'],
  },
  { redaction: 'workflows that the user has written', outlets: ['packages/n8n/src/run-command.ts: out × 8'] },
];

/** How each outlet to a model, a program or a reader of a command is redacted. Add a new one only with its redaction. */
export const OUTLETS: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ redaction, outlets }) => outlets.map((outlet): [string, string] => [outlet, redaction])),
);
