const IMPORT = /^import\s+(type\s+)?([^;'"]*?)\s+from\s+['"](?:node:)?child_process['"]/gm;
const OTHER_IMPORT = /(?:require|import|getBuiltinModule)\(\s*['"](?:node:)?child_process['"]/g;

/**
 * Returns the functions of `child_process` that a text imports. A failed start is an event, which ends this process if nobody listens. `execFile` is allowed where each use
 * is `promisify(execFile)`: its promise reports the failure.
 */
export function unwatchedStarts(text: string): string[] {
  const imported = [...text.matchAll(IMPORT)]
    .filter(([, isType]) => isType === undefined)
    .flatMap(([, , names = '']) => (/^\{/.test(names) ? namesIn(names) : [names]));
  const isPromised = !/\bexecFile\b(?!\))/.test(text.replaceAll(IMPORT, ''));
  return [
    ...imported.filter((name) => name !== 'execFile' || !isPromised),
    ...[...text.matchAll(OTHER_IMPORT)].map(([call]) => call),
  ];
}

function namesIn(list: string): string[] {
  return list
    .replaceAll(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
