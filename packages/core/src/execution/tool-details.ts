import type { LanguageName } from '@toolwright/sandbox';
import { SKILLS_CATEGORY } from '../catalog/categories.ts';
import type { JsonSchema, ToolAnnotations } from '../catalog/tool.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { SkillOperations } from '../skills/guest-operations.ts';

/** A tool, or a skill, as a program reads it. The guest makes one text with fields of it. */
export interface ToolDetails {
  /** The declaration with its documentation, or the text of the skill. */
  readonly text: string;
  /** The id of the tool. */
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
}

export interface ToolDetailsOptions {
  readonly catalog: Pick<UserCatalog, 'tool' | 'describe' | 'servers'>;
  readonly skills: Pick<SkillOperations, 'details'>;
  readonly language: LanguageName;
}

/** Returns a tool, in its category if there is one, a skill, a server, or a part of a long definition. Raises `UNKNOWN_TOOL`, `UNKNOWN_SERVER`. */
export async function toolDetails(
  name: string,
  category: string | undefined,
  { catalog, skills, language }: ToolDetailsOptions,
): Promise<ToolDetails> {
  const ofTool = async (): Promise<ToolDetails> => {
    const { id, server, definition } = await catalog.tool(name, { language, category });
    const { title = '', description = title, inputSchema, outputSchema, annotations } = definition;
    return {
      text: await catalog.describe(id, 'docs', language),
      ...{ name: id, server, description, inputSchema },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  };
  // A server, or a part of a long definition.
  const ofName = async (): Promise<ToolDetails> => {
    const text = await catalog.describe(name, 'docs', language);
    const isOf = (server: string) => [`${server}.`, `${server}__`].some((start) => `${name}.`.startsWith(start));
    const server = catalog.servers().find((each) => isOf(each.name));
    return { text, name, server: server?.name ?? '', description: server?.description ?? '' };
  };
  return ofTool().catch((error: unknown) => {
    if (category !== undefined && category !== SKILLS_CATEGORY) throw error;
    return skills.details(name).catch(() => {
      if (category !== undefined) throw error;
      return ofName();
    });
  });
}
