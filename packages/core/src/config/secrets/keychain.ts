import { messageOf, ToolwrightError } from '../../errors.ts';

/** The keychain of the operating system. */
export interface Keychain {
  /** Returns a secret; undefined where there is none. Raises an error without a keychain. */
  read(name: string): string | undefined;
  /** Stores a secret. */
  write(name: string, value: string): void;
}

/** The part of the package that Toolwright uses. */
interface Keyring {
  readonly Entry: new (
    service: string,
    account: string,
  ) => { getPassword(): string | null; setPassword(text: string): void };
}

const PACKAGE = '@napi-rs/keyring';
/** The service of Toolwright's own entries. `${keychain:SERVICE/ACCOUNT}` reads entries of other programs. */
const SERVICE = 'toolwright';

/** Loads the keychain. Raises `CONFIG_INVALID` with the install command when its package is missing. */
export async function openKeychain(load: () => Promise<Keyring> = () => import(PACKAGE)): Promise<Keychain> {
  let keyring: Keyring;
  try {
    keyring = await load();
  } catch (cause) {
    const message = `The keychain needs the package ${PACKAGE}, which is not installed here. Run: npm install ${PACKAGE}`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  }
  const entry = (name: string) => {
    const slash = name.indexOf('/');
    return slash < 0
      ? new keyring.Entry(SERVICE, name)
      : new keyring.Entry(name.slice(0, slash), name.slice(slash + 1));
  };
  return {
    read: (name) => guarded(() => entry(name).getPassword()) ?? undefined,
    write: (name, value) => guarded(() => entry(name).setPassword(value)),
  };
}

function guarded<T>(use: () => T): T {
  try {
    return use();
  } catch (cause) {
    // A Linux without a desktop has no keychain.
    const message = `This machine has no keychain that works: ${messageOf(cause)}. Use \${file:/path} or a variable.`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  }
}
