/** The modules of Node that JavaScript guests have, without `node:`. `guest/modules.cjs` has their files. */
export const GUEST_MODULES: ReadonlySet<string> = new Set([
  ...['assert', 'assert/strict', 'buffer', 'crypto', 'events', 'fs', 'fs/promises', 'os', 'path', 'path/posix'],
  ...[
    'perf_hooks',
    'querystring',
    'readline',
    'readline/promises',
    'stream',
    'stream/promises',
    'stream/web',
    'string_decoder',
  ],
  ...['timers', 'timers/promises', 'url', 'util', 'util/types', 'zlib'],
]);
