import { expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

it('writes the call of a skill in its language, with the arguments as data', () => {
  expect(runProgram('add-up', 'typescript', '{ "a": "</script>\\n\\u2028" }')).toBe(
    'return await run_skill("add-up", {"a":"</script>\\n\u2028"});',
  );
  expect(runProgram('shout', 'python', '{"text": "\\"); import os"}')).toBe(
    'import json\nawait run_skill("shout", json.loads("{\\"text\\":\\"\\\\\\"); import os\\"}"))',
  );
  expect(() => runProgram('x', 'typescript', '{')).toThrow(SyntaxError);
});
