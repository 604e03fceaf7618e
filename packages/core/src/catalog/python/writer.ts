import type { Tool } from '../tool.ts';
import type { ToolWriter } from '../writer.ts';
import { pythonDeclarations, pythonDocs } from './declarations.ts';
import { pythonModule } from './modules.ts';
import { type PythonPlace, pythonSignature } from './signature.ts';
import { PYTHON_LINE } from './types.ts';

/** Tells of tools in Python. A tool's function is where `placeOf` says. */
export function pythonWriter(placeOf: (tool: Tool) => PythonPlace): ToolWriter {
  return {
    types: PYTHON_LINE,
    signature: (tool, budget) => pythonSignature(tool, placeOf(tool), budget),
    docs: (tool) => pythonDocs(tool, placeOf(tool)),
    module: (server, tools) => pythonModule(server, tools, placeOf),
    declarations: pythonDeclarations,
  };
}
