import { ToolwrightError } from './errors.ts';

/** The owner of executions, sessions and skills without a `userId`. */
export const DEFAULT_USER = 'local';

/** Characters of a user or customer. */
const MAX_NAME_CHARACTERS = 256;

/** Returns the name of a user or customer, `local` by default. Raises `CONFIG_INVALID` for anything but a text of 1 to 256 characters. */
export function checkedName(option: 'userId' | 'customer', name: unknown = DEFAULT_USER): string {
  if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARACTERS) return name;
  throw new ToolwrightError('CONFIG_INVALID', `${option} must be a text of 1 to ${MAX_NAME_CHARACTERS} characters.`);
}
