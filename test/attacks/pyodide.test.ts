import { probePyodide, pyodideSandbox } from '../../packages/sandbox/src/sandboxes/pyodide.ts';
import { childCommands } from '../fixtures/processes.ts';
import { attackSandbox } from './suite.ts';

await attackSandbox({
  name: 'pyodide',
  languages: ['python'],
  slow: true,
  probe: probePyodide,
  create: pyodideSandbox,
  leftovers: () => childCommands('guest/pyodide.js'),
});
