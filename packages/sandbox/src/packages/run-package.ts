import type { GuestBridge } from '../bridge/protocol.ts';
import type { Program } from '../languages/language.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import { invalidPackages } from './run-tool.ts';

const TIMEOUT_MS = 120_000;
const MESSAGE_BYTES = 32 * 1024 * 1024;

const UNKNOWN = { name: 'ToolError', code: 'UNKNOWN_MODULE' };

/** A program that imports packages. */
export interface PackageProgram {
  readonly guest: Program['guest'];
  readonly code: string;
}

/** Runs code of a package in a sandbox, and returns its value. `modules` are the modules that it imports. Raises `CONFIG_INVALID` if it fails. */
export async function runPackage(
  sandbox: Sandbox,
  { guest, code }: PackageProgram,
  {
    memoryBytes,
    modules = () => undefined,
  }: { readonly memoryBytes: number; readonly modules?: (path: string) => string | undefined },
): Promise<unknown> {
  const bridge: GuestBridge = {
    async request({ operation, text }) {
      const [, path] = JSON.parse(text);
      const source = operation === 'module' ? modules(String(path)) : undefined;
      if (source !== undefined) return { ok: true, payload: JSON.stringify(source) };
      const fault = operation === 'module' ? UNKNOWN : { name: 'FileError', code: 'ENOENT' };
      return { ok: false, payload: JSON.stringify({ ...fault, message: `There is no ${path}.` }) };
    },
    notice: () => undefined,
  };
  const limits = { timeoutMs: TIMEOUT_MS, memoryBytes, messageBytes: MESSAGE_BYTES };
  const outcome = await sandbox.run({ guest, code, seed: 0, epochMs: 0 }, { bridge, limits });
  if (outcome.status === 'completed') return outcome.value ? JSON.parse(outcome.value) : undefined;
  const why = outcome.status === 'failed' ? outcome.error.message : `the limit ${outcome.limit} stopped it`;
  throw invalidPackages(`The packages do not work in the sandbox ${sandbox.name}: ${why}`);
}
