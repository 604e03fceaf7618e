import type { InlineConnectorOptions } from '../../packages/connectors/src/inline/inline.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer' } as const;
const object = (properties: object, required: string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const issue = object(
  {
    number: whole,
    title: text,
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: text },
    body: { type: ['string', 'null'] },
  },
  ['number', 'title', 'state', 'labels'],
  { additionalProperties: false },
);

/** The tools that the programs call: with and without declared results, open and closed, optional and nested. */
export const TOOLS: Readonly<Record<string, InlineConnectorOptions>> = {
  github: {
    tools: {
      list_issues: {
        description: 'Lists issues.',
        inputSchema: object({ owner: text, repo: text, state: { enum: ['open', 'closed', 'all'] }, perPage: whole }, [
          'owner',
          'repo',
        ]),
        outputSchema: object({ issues: { type: 'array', items: issue }, nextPage: { type: ['integer', 'null'] } }, [
          'issues',
        ]),
        run: () => ({ issues: [] }),
      },
      create_issue: {
        description: 'Creates an issue.',
        inputSchema: object(
          { title: text, body: text, labels: { type: 'array', items: text }, milestone: { type: ['integer', 'null'] } },
          ['title'],
          { additionalProperties: false },
        ),
        outputSchema: issue,
        run: () => ({ number: 1, title: 't', state: 'open', labels: [] }),
      },
      search: {
        description: 'Searches anything.',
        inputSchema: object(
          { query: text, filter: object({ from: text, to: text, tags: { type: 'array', items: text } }) },
          ['query'],
        ),
        run: () => ({ hits: [{ id: 1, name: 'x', score: 0.5 }] }),
      },
    },
  },
  files: {
    tools: {
      read_file: {
        description: 'Reads a file.',
        inputSchema: object({ path: text, head: whole }, ['path']),
        outputSchema: object({ content: text }, ['content']),
        run: () => ({ content: '{"a": 1}' }),
      },
      write_file: {
        description: 'Writes a file.',
        inputSchema: object({ path: text, content: text }, ['path', 'content']),
        run: () => 'ok',
      },
      list: { description: 'Lists.', run: () => ['a.txt', 'b.txt'] },
      query: {
        description: 'Runs a query.',
        inputSchema: object({ sql: text, params: { type: 'array' } }, ['sql'], { additionalProperties: true }),
        outputSchema: object({ rows: { type: 'array', items: { type: 'object' } } }, ['rows']),
        run: () => ({ rows: [{ n: 1 }] }),
      },
    },
  },
};
