import { acceptedAnnotations, type JsonSchema, type Tool, type ToolAnnotations } from '@toolwright/connectors';
import type { LanguageName } from '@toolwright/sandbox';
import { SKILLS_CATEGORY } from '../../catalog/categories.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { SkillOperations } from '../../skills/guest-operations.ts';

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
  readonly catalog: UserCatalog;
  readonly skills: SkillOperations;
  readonly language: LanguageName;
}

/** Returns a tool, in its category if there is one, a skill, a server, or a part of a long definition. Raises `UNKNOWN_TOOL`, `UNKNOWN_SERVER`. */
export async function toolDetails(
  name: string,
  category: string | undefined,
  { catalog, skills, language }: ToolDetailsOptions,
): Promise<ToolDetails> {
  try {
    const { text, ...found } = await catalog.details(name, language, category);
    if ('tool' in found) return ofTool(text, found.tool);
    // A skill may have the name of a server.
    const { name: server, connector } = found.server;
    return await skills.details(name).catch(() => ({ text, name, server, description: connector.description ?? '' }));
  } catch (error) {
    if (category !== undefined && category !== SKILLS_CATEGORY) throw error;
    return skills.details(name).catch(() => {
      throw error;
    });
  }
}

function ofTool(text: string, tool: Tool): ToolDetails {
  const { id: name, server, definition } = tool;
  const { title = '', description = title, inputSchema, outputSchema, annotations } = definition;
  const accepted = annotations && acceptedAnnotations(tool);
  return { text, name, server, description, inputSchema, outputSchema, annotations: accepted };
}
