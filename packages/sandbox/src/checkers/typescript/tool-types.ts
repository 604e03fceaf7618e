/** Path of the types of the tools that a program names. */
export const TOOL_TYPES = '/toolwright/tools.d.ts';
