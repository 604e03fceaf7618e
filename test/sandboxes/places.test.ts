import { describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';

const TYPESCRIPT = `interface Customer { readonly id: number }
const find = async (id: number): Promise<Customer> => await callMCPTool('crm__find', { id });

await callMCPTool('crm__find', { id: 1 });
await find(2);
await Promise.all([3, 4].map((id) => callMCPTool('crm__find', { id })));
const name = 'crm__' + 'find';
return callMCPTool(name, { id: 5 });`;
const PYTHON = `async def find(id):
    return await call_mcp_tool("crm__find", {"id": id})

await call_mcp_tool("crm__find", {"id": 1})
await find(2)
for id in (3, 4):
    await call_mcp_tool("crm__find", {"id": id})
await call_mcp_tool("crm__" + "find", {"id": 5})`;

/** Returns the lines of the calls of a program. */
async function linesOf(sandbox: string, language: 'typescript' | 'python', code: string) {
  await using toolwright = await createToolwright({
    ...{ dataDir: temporaryFolder(), sandbox },
    tools: { crm: { tools: { find: { run: () => 'found' } } } },
  });
  const { executionId, status } = await toolwright.execute(code, { language, check: false });
  expect(status).toBe('completed');
  return (await toolwright.executions.calls(executionId)).map(({ line }) => line);
}

function describePlaces(sandbox: string, languages: readonly ('typescript' | 'python')[]): void {
  describe(`the calls of a program in ${sandbox}`, () => {
    it.each(languages)('have the lines that made them: %s', async (language) => {
      const isPython = language === 'python';
      const expected = isPython ? [4, 2, 7, 7, 8] : [4, 2, 6, 6, 8];
      expect(await linesOf(sandbox, language, isPython ? PYTHON : TYPESCRIPT)).toEqual(expected);
    });

    it.each(languages)('have lines up to the twentieth, in each program: %s', async (language) => {
      const code =
        language === 'python'
          ? 'for id in range(22):\n    await call_mcp_tool("crm__find", {"id": id})'
          : "for (let id = 0; id < 22; id++)\n  await callMCPTool('crm__find', { id });";
      const lines = [...Array<number | undefined>(20).fill(2), undefined, undefined];
      expect(await linesOf(sandbox, language, code)).toEqual(lines);
    });
  });
}

describePlaces('quickjs', ['typescript']);
describePlaces('pyodide', ['python']);
needs('jail', missingSandbox(await probeJail())).describe('in the jail', () => {
  describePlaces('jail', ['typescript', 'python']);
});
