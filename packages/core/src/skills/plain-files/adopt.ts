import type { Language } from '@toolwright/sandbox';
import { signaturesOf } from '../signature.ts';
import { SKILL_FILE, type SkillFile } from '../skill.ts';
import { filesOf } from '../text/draft.ts';

const COMMENT = /^\s*(?:\/\*+([\s\S]*?)\*\/|((?:\/\/.*(?:\n|$))+)|((?:#.*(?:\n|$))+)|(?:"""|''')([\s\S]*?)(?:"""|'''))/;
/** Characters of the code that are searched for its first comment. */
const MAX_READ_CHARACTERS = 4_000;
const MAX_DESCRIPTION = 300;
const MAX_NAMES = 10;

/** Adds a `SKILL.md` to the code of plain files that have none. Its description is the first comment of the code. */
export async function adopted(
  name: string,
  files: readonly SkillFile[],
  languages: readonly Language[],
): Promise<readonly SkillFile[]> {
  const code = files.find(({ text }) => text !== undefined && text.trim() !== '');
  if (!code || files.some(({ path }) => path === SKILL_FILE)) return files;
  const description = firstComment(code.text ?? '') ?? (await listedFunctions(name, files, languages));
  const contents = Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]));
  return (await filesOf({ name, description, files: contents }, languages)).files;
}

function firstComment(code: string): string | undefined {
  const comment = COMMENT.exec(code.slice(0, MAX_READ_CHARACTERS))
    ?.slice(1)
    .find((text) => text !== undefined);
  const text = (comment ?? '').replaceAll(/^\s*(?:\*|\/\/|#)+ ?/gm, '').trim();
  const [paragraph = ''] = text.split(/\n\s*\n|\n\s*@/);
  const line = paragraph.replaceAll(/\s+/g, ' ').trim();
  return line === '' ? undefined : line.slice(0, MAX_DESCRIPTION);
}

async function listedFunctions(
  name: string,
  files: readonly SkillFile[],
  languages: readonly Language[],
): Promise<string> {
  const signatures = await signaturesOf(name, files, languages);
  const names = signatures.flatMap(({ exports }) => exports).filter((own) => own !== 'default');
  const listed = [...new Set(names)].slice(0, MAX_NAMES).join(', ');
  return `Code that a program saved as ${name}${listed === '' ? '' : `: ${listed}`}.`;
}
