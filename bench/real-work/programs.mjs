// All programs of the benchmark, with their languages.
import { programs as pythonDocuments } from './programs/python-documents.mjs';
import { programs as pythonFiles } from './programs/python-files.mjs';
import { programs as pythonStatistics } from './programs/python-statistics.mjs';
import { programs as pythonTables } from './programs/python-tables.mjs';
import { programs as pythonText } from './programs/python-text.mjs';
import { programs as pythonTools } from './programs/python-tools.mjs';
import { programs as typescriptFiles } from './programs/typescript-files.mjs';
import { programs as typescriptPackages } from './programs/typescript-packages.mjs';
import { programs as typescriptTables } from './programs/typescript-tables.mjs';
import { programs as typescriptText } from './programs/typescript-text.mjs';
import { programs as typescriptTools } from './programs/typescript-tools.mjs';

const PYTHON = [pythonTables, pythonStatistics, pythonDocuments, pythonText, pythonFiles, pythonTools];
const TYPESCRIPT = [typescriptTables, typescriptPackages, typescriptText, typescriptFiles, typescriptTools];

/** Returns all programs, each with its `language`. `packages` names those that it imports. */
export const allPrograms = () => [
  ...PYTHON.flat().map((program) => ({ ...program, language: 'python' })),
  ...TYPESCRIPT.flat().map((program) => ({ ...program, language: 'typescript' })),
];
