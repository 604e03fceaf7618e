import type { Tool } from '../../tool.ts';
import type { ToolWriter } from '../writer.ts';
import { pythonDeclarations, pythonDocs } from './declarations.ts';
import { pythonModule } from './modules.ts';
import { type PythonLocation, pythonSignature } from './signature.ts';
import { PYTHON_LINE } from './types.ts';

/** Tells of tools in Python. A tool's function is where `locationOf` says. */
export function pythonWriter(locationOf: (tool: Tool) => PythonLocation): ToolWriter {
  return {
    types: PYTHON_LINE,
    signature: (tool, budget) => pythonSignature(tool, locationOf(tool), budget),
    docs: (tool) => pythonDocs(tool, locationOf(tool)),
    module: (server, tools) => pythonModule(server, tools, locationOf),
    declarations: pythonDeclarations,
  };
}
