import { guestPath, parseGuestPath } from '../../workspaces/paths.ts';
import { isSkillName } from '../text/validation.ts';

/** A plain file below `/skills`, and the code of a skill that it is: `/skills/add_up.js` is `/skills/add-up/index.js`. */
export interface PlainFile {
  /** Its path, as programs write it. */
  readonly path: string;
  /** The name of the skill. */
  readonly name: string;
  /** The path of the code in the skill. */
  readonly target: string;
  /** The other path of code in the same language. */
  readonly other: string;
}

const PLAIN_FILE = /^([A-Za-z\d][\w-]*)\.(js|ts|py)$/;
/** The code of each kind of file, and the other path of code in the same language. */
const MODULES: Readonly<Record<string, readonly [string, string]>> = {
  js: ['index.js', 'index.ts'],
  ts: ['index.ts', 'index.js'],
  py: ['__init__.py', 'index.py'],
};

/** Returns the plain file at a path; undefined for any other path. */
export function plainFileAt(path: string): PlainFile | undefined {
  const parts = parseGuestPath(path);
  const [, stem = '', kind = ''] = PLAIN_FILE.exec(parts.length === 2 ? (parts[1] ?? '') : '') ?? [];
  const name = skillNameOf(stem);
  const [own, second] = MODULES[kind] ?? [];
  if (own === undefined || second === undefined || !isSkillName(name)) return undefined;
  const [root = ''] = parts;
  return { path: guestPath(parts), name, target: guestPath([root, name, own]), other: guestPath([root, name, second]) };
}

/** Returns the name of the skill for the name of a file or module: `add-up` for `add_up` and `addUp`. */
export function skillNameOf(text: string): string {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[_-]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
