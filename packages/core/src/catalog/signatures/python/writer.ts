import type { Tool } from '@toolwright/connectors';
import type { ToolWriter } from '../writer.ts';
import { pythonDeclarations, pythonDocs, pythonOutline } from './declarations.ts';
import { pythonModule } from './modules.ts';
import { type PythonLocation, pythonSignature } from './signature.ts';
import { PYTHON_LINE } from './types.ts';

/** Creates the writer for Python. `locationOf` returns the module and the name of a tool's function. */
export function pythonWriter(locationOf: (tool: Tool) => PythonLocation): ToolWriter {
  return {
    types: PYTHON_LINE,
    signature: (tool, budget) => pythonSignature(tool, locationOf(tool), budget),
    docs: (tool) => pythonDocs(tool, locationOf(tool)),
    outline: (tool) => pythonOutline(tool, locationOf(tool)),
    comment: '#',
    module: (server, tools) => pythonModule(server, tools, locationOf),
    declarations: pythonDeclarations,
  };
}
