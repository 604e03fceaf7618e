import type { Language } from '@toolwright/sandbox';
import { inOrder, skillFile } from '../folder.ts';
import { modulePath, signaturesOf } from '../signature.ts';
import { SKILL_FILE, type SkillDraft, type SkillFile } from '../skill.ts';
import { writeSkillText } from './front-matter.ts';

/** Returns the files of a draft, and the problems that prevent saving them. */
export async function filesOf(
  draft: SkillDraft,
  languages: readonly Language[],
): Promise<{ readonly files: SkillFile[]; readonly problems: readonly string[] }> {
  const {
    name,
    description,
    license,
    compatibility,
    metadata,
    allowedTools,
    body,
    code,
    language = 'typescript',
  } = draft;
  const files = Object.entries(draft.files ?? {}).map(([path, content]) => skillFile(path, content));
  const problems: string[] = [];
  const add = (path: string, text: string, field: string) => {
    if (files.some((file) => file.path === path))
      problems.push(`${path} is given twice: in "files" and as "${field}". Remove one.`);
    else files.push(skillFile(path, text));
  };
  if (code !== undefined) add(modulePath(language), code, 'code');
  const hasOwnText = files.some(({ path }) => path === SKILL_FILE);
  const described = [description, license, compatibility, metadata, allowedTools, body].some(
    (value) => value !== undefined,
  );
  if (!hasOwnText || described) {
    const fields = { name, description, license, compatibility, metadata, 'allowed-tools': allowedTools?.join(' ') };
    const text = await writeSkillText(fields, body ?? (await bodyOf(draft, files, languages)));
    add(SKILL_FILE, text, 'description');
  }
  return { files: inOrder(files), problems };
}

/** Writes the body of a skill whose draft has none: its description and its calls. */
async function bodyOf(
  { name, description = '' }: SkillDraft,
  files: readonly SkillFile[],
  languages: readonly Language[],
): Promise<string> {
  const signatures = await signaturesOf(String(name), files, languages);
  const calls = signatures.map(({ language, call }) => `\`\`\`${language === 'python' ? 'py' : 'ts'}\n${call}\n\`\`\``);
  return [`# ${name}`, description, ...calls].join('\n\n');
}
