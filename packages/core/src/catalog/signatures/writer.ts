import type { Tool } from '@toolwright/connectors';
import type { Outline } from '../details/outline.ts';
import type { SignatureBudget } from './signature.ts';
import type { TypeSyntax } from './types.ts';

/** Describes tools in one language. */
export interface ToolWriter {
  /** The syntax of types on one line. */
  readonly types: TypeSyntax;
  /** Returns one line that calls a tool. */
  signature(tool: Tool, budget?: SignatureBudget): string;
  /** Returns the complete declaration of one tool, with documentation. */
  docs(tool: Tool): string;
  /** Returns that declaration in parts: large types have names and declarations of their own. */
  outline(tool: Tool): Outline;
  /** The start of a comment. */
  readonly comment: string;
  /** Returns the source of a server's guest module. */
  module(server: string, tools: readonly Tool[]): Promise<string>;
  /** Returns the declarations of a server's guest module. */
  declarations(server: string, tools: readonly Tool[]): string;
}
