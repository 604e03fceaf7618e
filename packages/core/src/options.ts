import { typoProblems } from './config/problems.ts';
import { ToolwrightError } from './errors.ts';
import type { ExecuteOptions, ToolwrightOptions } from './toolwright.ts';

const TOOLWRIGHT_OPTIONS = {
  config: true,
  mcpServers: true,
  tools: true,
  plugins: true,
  connectors: true,
  sandbox: true,
  limits: true,
  connect: true,
  dataDir: true,
  pii: true,
  store: true,
  check: true,
  logger: true,
} satisfies Record<keyof ToolwrightOptions, true>;

const EXECUTE_OPTIONS = {
  language: true,
  limits: true,
  sandbox: true,
  session: true,
  createSession: true,
  user: true,
  tenant: true,
  check: true,
  signal: true,
  onStart: true,
  onLog: true,
  onProgress: true,
  onCall: true,
} satisfies Record<keyof ExecuteOptions, true>;
const KNOWN: Readonly<Record<'createToolwright' | 'execute', readonly string[]>> = {
  createToolwright: Object.keys(TOOLWRIGHT_OPTIONS),
  execute: Object.keys(EXECUTE_OPTIONS),
};

/**
 * Refuses options whose names are nearly right, which programs without types do not see: `sesion` would run without the
 * session. Raises `CONFIG_INVALID`.
 */
export function checkOptionNames(method: 'createToolwright' | 'execute', options: object): void {
  const problems = typoProblems(options, KNOWN[method], []);
  if (problems.length === 0) return;
  const named = problems.map(({ path, text }) => `${String(path[0])}: ${text}`).join('; ');
  throw new ToolwrightError('CONFIG_INVALID', `The options of ${method} are wrong. ${named}`);
}
