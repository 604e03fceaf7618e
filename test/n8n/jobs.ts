/** A node of a job, and whether its name alone is enough to use it. */
interface JobNode {
  readonly type: string;
  readonly resource?: string;
  readonly operation?: string;
  readonly isPlain?: true;
}

/** Twelve requests of users, in steps, with the nodes that they need. */
export const JOBS: Readonly<
  Record<string, { readonly request: readonly string[]; readonly nodes: readonly JobNode[] }>
> = {
  alerts: {
    request: ['when a webhook is called', 'post its text to the Slack channel #alerts'],
    nodes: [{ type: 'webhook' }, { type: 'slack', resource: 'message', operation: 'post' }],
  },
  report: {
    request: ['every day at 9', 'read the rows of a Google Sheet', 'send an email with Gmail'],
    nodes: [
      { type: 'scheduleTrigger' },
      { type: 'googleSheets', resource: 'sheet', operation: 'read' },
      { type: 'gmail', resource: 'message', operation: 'send' },
    ],
  },
  leads: {
    request: ['on a form submission', 'append a row to a Google Sheet'],
    nodes: [{ type: 'formTrigger' }, { type: 'googleSheets', resource: 'sheet', operation: 'append' }],
  },
  agent: {
    request: ['receive a chat message', 'AI agent', 'OpenAI chat model'],
    nodes: [{ type: 'chatTrigger', isPlain: true }, { type: 'agent' }, { type: 'lmChatOpenAi' }],
  },
  loop: {
    request: ['start every hour', 'loop over items in batches'],
    nodes: [{ type: 'scheduleTrigger', isPlain: true }, { type: 'splitInBatches' }],
  },
  stop: {
    request: ['receive a webhook', 'stop with an error'],
    nodes: [{ type: 'webhook', isPlain: true }, { type: 'stopAndError' }],
  },
  database: {
    request: ['receive a webhook', 'insert rows in Postgres'],
    nodes: [
      { type: 'webhook', isPlain: true },
      { type: 'postgres', resource: 'database', operation: 'insert' },
    ],
  },
  caller: {
    request: ['receive a webhook', 'execute a sub-workflow'],
    nodes: [{ type: 'webhook', isPlain: true }, { type: 'executeWorkflow' }],
  },
  filter: {
    request: ['receive a webhook', 'filter items'],
    nodes: [{ type: 'webhook', isPlain: true }, { type: 'filter' }],
  },
  program: {
    request: ['start manually', 'run JavaScript code'],
    nodes: [{ type: 'manualTrigger', isPlain: true }, { type: 'code' }],
  },
  pages: {
    request: ['every Monday', 'call a REST API with pagination'],
    nodes: [{ type: 'scheduleTrigger', isPlain: true }, { type: 'httpRequest' }],
  },
  issues: {
    request: ['when an email arrives in Gmail', 'create a GitHub issue'],
    nodes: [{ type: 'gmailTrigger' }, { type: 'github', resource: 'issue', operation: 'create' }],
  },
};
