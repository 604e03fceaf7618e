import type { ToolwrightOptions } from '../../../packages/core/src/toolwright.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const key = { type: 'string', pattern: '^[A-Z]+-[0-9]+$' } as const;

const ISSUES = ['Crash', 'Slow'].map((summary, index) => ({ key: `WEB-${index + 1}`, summary, status: 'Open' }));
const FILES = ['f1', 'f2', 'f3'].map((id) => ({ id, name: `${id}.txt`, size: 7 }));

/** Tools in the forms of public servers: an issue tracker, a drive, payments, a database, and a server whose name is no identifier. */
export const LATER_TOOLS: NonNullable<ToolwrightOptions['tools']> = {
  jira: {
    tools: {
      search_issues: {
        description: 'Searches issues with JQL.',
        inputSchema: object({ jql: text, max_results: { ...whole, maximum: 100 }, start_at: whole }, ['jql']),
        outputSchema: object(
          {
            issues: list(object({ key: text, summary: text, status: text }, ['key', 'summary', 'status'])),
            total: whole,
          },
          ['issues', 'total'],
        ),
        run: () => ({ issues: ISSUES, total: 2 }),
      },
      create_issue: {
        description: 'Creates an issue.',
        inputSchema: object(
          {
            ...{ project_key: text, summary: text, issue_type: { enum: ['Bug', 'Task', 'Story'] } },
            priority: { enum: ['Highest', 'High', 'Medium', 'Low'] },
            ...{ labels: list(text), due_date: { type: 'string', format: 'date' } },
          },
          ['project_key', 'summary', 'issue_type'],
        ),
        run: (args) => ({ key: 'WEB-3', ...args }),
      },
      transition_issue: {
        description: 'Moves an issue to another state.',
        inputSchema: object({ issue_key: key, transition: { enum: ['todo', 'in_progress', 'done'] } }, [
          'issue_key',
          'transition',
        ]),
        run: ({ transition }) => ({ state: transition }),
      },
      add_comment: {
        description: 'Adds a comment to an issue.',
        inputSchema: object({ issue_key: key, body: text }, ['issue_key', 'body']),
        run: ({ body }) => ({ comment: body }),
      },
    },
  },
  drive: {
    tools: {
      list_files: {
        description: 'Lists the files of a folder, page by page.',
        inputSchema: object({ folder_id: text, page_token: text }),
        run: ({ page_token }) =>
          page_token === '2' ? { files: FILES.slice(2) } : { files: FILES.slice(0, 2), next_page_token: '2' },
      },
      read_file: {
        description: 'Returns the text of a file.',
        inputSchema: object({ file_id: text }, ['file_id']),
        run: () => 'one two',
      },
      share_file: {
        description: 'Shares a file with a person.',
        inputSchema: object(
          { file_id: text, email: { type: 'string', format: 'email' }, role: { enum: ['reader', 'writer', 'owner'] } },
          ['file_id', 'email', 'role'],
        ),
        run: ({ role }) => ({ role }),
      },
    },
  },
  payments: {
    tools: {
      list_invoices: {
        description: 'Lists the invoices of a customer, newest first.',
        inputSchema: object(
          {
            ...{ customer: text, status: { enum: ['draft', 'open', 'paid', 'void'] } },
            ...{ limit: { ...whole, maximum: 100 }, starting_after: text },
          },
          ['customer'],
        ),
        run: ({ starting_after }) =>
          starting_after === 'i2'
            ? { data: [{ id: 'i3', amount_due: 30 }], has_more: false }
            : { data: [10, 20].map((amount_due, index) => ({ id: `i${index + 1}`, amount_due })), has_more: true },
      },
      create_refund: {
        description: 'Refunds a payment. The amount is in cents.',
        inputSchema: object(
          {
            ...{ payment_id: text, amount: { ...whole, minimum: 1 } },
            reason: { enum: ['duplicate', 'fraudulent', 'requested_by_customer'] },
          },
          ['payment_id'],
        ),
        run: ({ amount = 100 }) => ({ refunded: amount }),
      },
      get_balance: {
        description: 'Returns the balance of the account, in cents by currency.',
        inputSchema: object({}),
        outputSchema: object({ available: object({ eur: whole }, ['eur']), pending: object({ eur: whole }, ['eur']) }, [
          'available',
          'pending',
        ]),
        run: () => ({ available: { eur: 500 }, pending: { eur: 0 } }),
      },
    },
  },
  db: {
    tools: {
      run_query: {
        description: 'Runs an SQL query that only reads.',
        inputSchema: object({ sql: text, params: list({}) }, ['sql']),
        run: ({ params = [] }) => ({ rows: [{ name: 'Ada', params }], row_count: 1 }),
      },
    },
  },
  'home-assistant': {
    tools: {
      set_light: {
        description: 'Switches a light.',
        inputSchema: object(
          {
            ...{ entity_id: text, on: { type: 'boolean' }, brightness: { ...whole, minimum: 0, maximum: 255 } },
            rgb: { type: 'array', items: whole, minItems: 3, maxItems: 3 },
          },
          ['entity_id', 'on'],
        ),
        run: ({ on }) => ({ on }),
      },
    },
  },
};
