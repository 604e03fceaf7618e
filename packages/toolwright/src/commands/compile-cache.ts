import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { cacheFolder, isPrivateFolder } from '@toolwright/sandbox/cache-folder';

/** Node's `module.enableCompileCache`; undefined before 22.8. */
const enableCompileCache: unknown = Reflect.get(nodeModule, 'enableCompileCache');

/**
 * Lets Node keep the compiled code of the modules that load from now on, for the next start of a command. Node 22.8 and
 * later can: https://nodejs.org/api/module.html#module-compile-cache. Without a folder that only this user can write,
 * nothing is kept. A folder of `NODE_COMPILE_CACHE`, and `NODE_DISABLE_COMPILE_CACHE`, stay in force.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv = process.env, enable = enableCompileCache): void {
  if (typeof enable !== 'function' || env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return;
  const folder = join(cacheFolder(env), 'compiled');
  if (isPrivateFolder(folder)) enable(folder);
}
