/** Modules that no program has, each with its replacement. */
const ABSENT: readonly (readonly [names: RegExp, instead: string])[] = [
  [/^(?:https?|http2|net|tls|dgram|dns|undici|node-fetch|axios|ws|got)$/, 'A program has no network: call a tool.'],
  [/^(?:child_process|cluster)$/, 'A program cannot start processes: call a tool, or compute in the program.'],
  [/^worker_threads$/, 'A program has one thread: split long work, and await Promise.all for calls of tools.'],
  [
    /^(?:vm|module|v8|inspector|repl)$/,
    'A program cannot load code from text: write a module to /workspace and import it.',
  ],
  [/^process$/, 'A program has no process, arguments or environment: use constants, and return its result.'],
  [/^async_hooks$/, 'Pass the values as arguments.'],
  [/^sqlite$/, 'A program has no database: use arrays and Map, files of /workspace, or a tool.'],
  [/^test$/, "Use node:assert: import assert from 'node:assert'."],
  [/^(?:tty|punycode|domain|constants|sys|diagnostics_channel|trace_events|wasi|sea)$/, 'It is not part of a sandbox.'],
];

/** The modules of Node that programs have. */
export const NODE_MODULES =
  'assert, buffer, crypto, events, os, path, perf_hooks, querystring, readline, stream, string_decoder, timers/promises, url, util and zlib';

/** Returns the replacement of a module that no program has; undefined for any other one. */
export function insteadOf(specifier: string): string | undefined {
  const name = specifier.replace(/^node:/, '').split('/')[0] ?? '';
  return ABSENT.find(([names]) => names.test(name))?.[1];
}
