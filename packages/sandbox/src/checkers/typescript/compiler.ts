import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The version of the package `typescript` that the check was tested with. Users install it: it takes 31 MB. */
export const COMPILER_VERSION = '7.0.2';

/** Returns the path of the compiler. Raises an error with the install command if it is missing or too old. */
export function findCompiler(): string {
  const require = createRequire(import.meta.url);
  const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
  const program = process.platform === 'win32' ? 'tsc.exe' : 'tsc';
  const found = resolved(require, 'typescript/package.json');
  // An alias of the package, next to an older TypeScript, includes the part for the platform.
  const native = (found && resolved(createRequire(found), platform)) ?? resolved(require, platform);
  if (native !== undefined) return join(dirname(native), 'lib', program);
  const version: unknown = found && require(found).version;
  const problem = version === undefined ? 'it is not installed' : `version ${version} is installed`;
  throw new Error(
    `the type check needs the package typescript ${COMPILER_VERSION}; ${problem}. ${INSTALL[found ? 1 : 0]}`,
  );
}

const INSTALL = [
  `Run: npm install typescript@${COMPILER_VERSION}`,
  `Run: npm install typescript-7@npm:typescript@${COMPILER_VERSION}`,
] as const;

function resolved(require: NodeJS.Require, path: string): string | undefined {
  try {
    return require.resolve(path);
  } catch {
    return undefined;
  }
}
