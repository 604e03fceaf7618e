import type { McpServer } from '@modelcontextprotocol/server';
import { type SkillSource, SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { type Skill, type Toolwright, ToolwrightError } from '@toolwright/core';

const SCHEME = 'skill://';
const ABSENT: ReadonlySet<string> = new Set(['UNKNOWN_SKILL', 'SKILL_INVALID']);

/** Serves the skills of a user by the skills extension of MCP. */
export function serveSkills(
  server: McpServer,
  { open, user, warn }: { open: () => Promise<Toolwright>; user: string; warn: (problem: string) => void },
): void {
  const find = async (name: string): Promise<Skill | undefined> => {
    const { skills, pii } = await open();
    const skill = await skills(user)
      .load(name)
      .catch((error: unknown) => {
        if (error instanceof ToolwrightError && ABSENT.has(error.code)) return undefined;
        throw error;
      });
    if (!skill) return undefined;
    const texts = await pii.redact(
      skill.files.map(({ text }) => text ?? null),
      { userId: user },
    );
    const files = skill.files.map((file, index) => {
      const text = texts[index];
      return typeof text === 'string' ? { ...file, text, bytes: Buffer.from(text) } : file;
    });
    return { ...skill, files };
  };
  const entryOf = ({ name, files }: Skill) =>
    skillEntry(name, Object.fromEntries(files.map(({ path, bytes }) => [path, bytes])));
  const source: SkillSource = {
    async list() {
      const summaries = await (await open()).skills(user).list();
      const skills = await Promise.all(summaries.map(({ name }) => find(name)));
      return { skills: await Promise.all(skills.filter((skill) => skill !== undefined).map(entryOf)) };
    },
    async get(uri) {
      const { name, path } = parts(uri);
      const skill = path === 'SKILL.md' ? await find(name) : undefined;
      return skill && entryOf(skill);
    },
    async read(uri) {
      const { name, path } = parts(uri);
      const file = (await find(name))?.files.find((candidate) => candidate.path === path);
      return file && (file.text === undefined ? { bytes: file.bytes } : { text: file.text });
    },
  };
  new SkillsExtension({ source, onWarning: ({ path, message }) => warn(`${path}: ${message}`) }).attach(server);
}

/** Splits a URI such as `skill://name/references/rules.md` into the name and the path. */
function parts(uri: string): { readonly name: string; readonly path: string } {
  const [name = '', ...path] = uri.slice(SCHEME.length).split('/');
  return { name, path: decodeURIComponent(path.join('/')) };
}
