// Shows the errors that a model reads after a mistake in its program. Each names the fix, and no tool call was sent.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';

let sent = 0;
const tracker = {
  description: 'Issues',
  tools: {
    create_issue: {
      description: 'Creates an issue',
      inputSchema: {
        type: 'object',
        properties: { title: { type: 'string' }, labels: { type: 'array', items: { type: 'string' } } },
        required: ['title'],
        additionalProperties: false,
      },
      run: ({ title }) => {
        sent++;
        return { number: 1, title };
      },
    },
  },
};
const state = await mkdtemp(join(tmpdir(), 'toolwright-example-'));
const toolwright = await createToolwright({ tools: { tracker }, dataDir: state });

const attempts = [
  "return callMCPTool('tracker__createIssue', { title: 'x' });",
  "return callMCPTool('tracker__create_issue', { name: 'x', labels: 'bug' });",
  "import * as tracker from './servers/tracker/index.js';\nreturn tracker.createIsue({ title: 'x' });",
  "const response = await fetch('https://example.com');",
  'const a = 1;\nconst b = ;',
];
try {
  for (const source of attempts) {
    const result = await toolwright.execute(source);
    assert.equal(result.status, 'failed');
    console.log(`${source}\n  → ${result.error.message}${result.error.hint ? `\n  → ${result.error.hint}` : ''}\n`);
  }
  assert.equal(sent, 0);
  const repaired = await toolwright.execute(
    "return callMCPTool('tracker__create_issue', { title: 'x', labels: ['bug'] });",
  );
  assert.deepEqual(repaired.value, { number: 1, title: 'x' });
  console.log('repaired:', repaired.value);
} finally {
  await toolwright.close();
  await rm(state, { recursive: true, force: true });
}
