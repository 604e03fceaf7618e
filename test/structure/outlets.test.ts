import { expect, test } from 'vitest';
import { PRODUCT, read } from './sources.ts';

/** Calls that send something to a client or a model. */
const OUTLET =
  /\b(registerTool|registerResource|registerPrompt|setRequestHandler|sendLoggingMessage|SkillsExtension|instructions:|elicit\(|mcpReq\.(?:log|notify|send)|model\.answer)/g;

/** Every outlet to a model, and the function by which its text is redacted. Add a new one only with its redaction. */
const OUTLETS: readonly string[] = [
  // The prompt, the request and all results of tools are redacted before they become messages.
  'packages/server/src/agent/ask-model.ts: model.answer',
  // `pii.redact` in instructions/servers.ts, `redactedText` in instructions/call-line.ts.
  'packages/server/src/mcp.ts: instructions:',
  // `redactResponse` and `redactError`; `execute_code` is redacted by the execution.
  'packages/server/src/mcp.ts: registerTool',
  // For a person: the client shows the dialog, and the model does not receive it.
  'packages/server/src/mcp/approval-form.ts: elicit(',
  // The execution redacts its log lines and progress.
  'packages/server/src/mcp/execution.ts: mcpReq.log',
  // For a person, see `restore_pii`.
  'packages/server/src/mcp/personal-data.ts: elicit(',
  'packages/server/src/mcp/progress.ts: mcpReq.notify',
  // `redactedText`.
  'packages/server/src/mcp/resources.ts: registerResource',
  // `pii.redact` on each file of a skill.
  'packages/server/src/mcp/skill-source.ts: SkillsExtension',
];

test('every outlet of the MCP server to a model is known, with its redaction', () => {
  const found = PRODUCT.filter((path) => /^packages\/server\/src\/(?!.*conformance\/)/.test(path)).flatMap((path) => {
    const text = read(path).replaceAll(/^import .*$/gm, '');
    return [...new Set([...text.matchAll(OUTLET)].map(([, call]) => `${path}: ${call}`))];
  });
  expect(found.sort()).toEqual([...OUTLETS].sort());
});
