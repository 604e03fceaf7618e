import type { ToolWriter } from '../writer.ts';
import { serverDeclarations, toolDocs } from './declarations.ts';
import { serverModule } from './modules.ts';
import { toolSignature } from './signature.ts';
import { TYPESCRIPT_LINE } from './types.ts';

/** Describes tools in TypeScript. */
export const TYPESCRIPT_WRITER: ToolWriter = {
  types: TYPESCRIPT_LINE,
  signature: toolSignature,
  docs: toolDocs,
  module: serverModule,
  declarations: serverDeclarations,
};
