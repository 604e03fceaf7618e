import type { Tool } from '../tool.ts';
import { type SignatureBudget, toolSignature } from './signature.ts';
import type { TypeSyntax } from './types.ts';
import { serverDeclarations, toolDocs } from './typescript/declarations.ts';
import { serverModule } from './typescript/modules.ts';
import { TYPESCRIPT_LINE } from './typescript/types.ts';

/** Tells of tools in one language. */
export interface ToolWriter {
  /** Types on one line. */
  readonly types: TypeSyntax;
  /** One line that calls a tool. */
  signature(tool: Tool, budget?: SignatureBudget): string;
  /** One tool in full, as a declaration with documentation. */
  docs(tool: Tool): string;
  /** Source of a server's guest module, and its declarations. */
  module(server: string, tools: readonly Tool[]): string;
  declarations(server: string, tools: readonly Tool[]): string;
}

/** Tells of tools in TypeScript. */
export const TYPESCRIPT_WRITER: ToolWriter = {
  types: TYPESCRIPT_LINE,
  signature: toolSignature,
  docs: toolDocs,
  module: serverModule,
  declarations: serverDeclarations,
};
