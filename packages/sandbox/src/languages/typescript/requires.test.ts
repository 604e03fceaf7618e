import { expect, test } from 'vitest';
import { applyEdits, readShape } from './shape.ts';

test.each([
  [
    "const fs = require('fs'), { a } = require(\n'node:path');",
    'const fs = __require0   , { a } = __require1\n            ;',
    2,
  ],
  ["if (x) require('lodash').map(require('lodash'))", 'if (x) __require0       .map(__require0       )', 1],
])('%j becomes imports, and its positions stay', (source, text, modules) => {
  const { edits, imports } = readShape(source);
  expect(applyEdits(source, edits)).toBe(text);
  expect(imports).toHaveLength(modules);
  expect(imports[0]).toMatch(/^import \* as __module0 from "\w+";const __require0=/);
});

test.each([
  "const require = load; require('fs')",
  "require('./servers/files/index.js')",
  "require('child_process')",
  "require('node:process')",
  'require(name)',
  "require('fs', 1)",
  "tools.require('fs')",
])('%j stays as it is', (source) => {
  expect(readShape(source)).toMatchObject({ imports: [], edits: [] });
});
