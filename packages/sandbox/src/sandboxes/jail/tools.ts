import { SandboxError } from '../../errors.ts';
import { findProgram } from './interpreter.ts';

/** Paths of the system's programs that create a jail. */
export interface JailTools {
  readonly bwrap: string;
  readonly unshare: string;
  readonly prlimit: string;
  readonly mount: string;
  readonly mkdir: string;
  readonly env: string;
  readonly sh: string;
}

const PACKAGE_OF: Readonly<Record<keyof JailTools, string>> = {
  bwrap: 'bubblewrap',
  unshare: 'util-linux',
  prlimit: 'util-linux',
  mount: 'mount',
  mkdir: 'coreutils',
  env: 'coreutils',
  sh: 'dash',
};

/** Finds the programs. Raises `SANDBOX_UNAVAILABLE` with the package to install in `details.fix`. */
export function findTools(): JailTools {
  const find = (name: keyof JailTools): string => {
    const path = findProgram(name);
    if (path !== undefined) return path;
    throw new SandboxError('SANDBOX_UNAVAILABLE', `${name} is not installed`, {
      details: { fix: `install ${PACKAGE_OF[name]}, on Debian and Ubuntu with: apt-get install ${PACKAGE_OF[name]}` },
    });
  };
  return {
    bwrap: find('bwrap'),
    unshare: find('unshare'),
    prlimit: find('prlimit'),
    mount: find('mount'),
    mkdir: find('mkdir'),
    env: find('env'),
    sh: find('sh'),
  };
}
