import type { ToolWriter } from '../writer.ts';
import { serverDeclarations, toolDocs, toolOutline } from './declarations.ts';
import { serverModule } from './modules.ts';
import { toolSignature } from './signature.ts';
import { TYPESCRIPT_LINE } from './types.ts';

/** Describes tools in TypeScript. */
export const TYPESCRIPT_WRITER: ToolWriter = {
  types: TYPESCRIPT_LINE,
  signature: toolSignature,
  docs: toolDocs,
  outline: toolOutline,
  comment: '//',
  module: serverModule,
  declarations: serverDeclarations,
};
