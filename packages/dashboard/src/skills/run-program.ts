/** Returns the program that runs the main function of a skill with these arguments. Raises a `SyntaxError` for text that is no JSON. */
export function runProgram(name: string, language: string, args: string): string {
  const json = JSON.stringify(JSON.parse(args));
  const literal = JSON.stringify(name);
  return language === 'python'
    ? `import json\nawait run_skill(${literal}, json.loads(${JSON.stringify(json)}))`
    : `return await run_skill(${literal}, ${json});`;
}
