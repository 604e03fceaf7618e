import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tool } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { catalogNames, readCatalog } from '../../../../../../test/catalogs.ts';
import { needsData } from '../../../../../../test/data.ts';
import { hostileTools } from '../../../../../../test/hostile-tools.ts';
import { serverDeclarations, toolDocs } from './declarations.ts';

const TYPESCRIPT = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Returns the compiler's errors for these files; empty when there are none. */
function compile(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-declarations-'));
  try {
    mkdirSync(join(folder, 'servers'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const options = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', module: 'esnext', types: [] };
    const config = { compilerOptions: { ...options, moduleResolution: 'bundler' }, include: ['**/*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [TYPESCRIPT, '-p', folder], { encoding: 'utf8' });
    return stdout.slice(0, 5_000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ISSUES: Tool = {
  id: 'tracker__create-issue',
  server: 'tracker',
  definition: {
    name: 'create-issue',
    description: 'Creates an issue.\nReturns its number.',
    inputSchema: {
      type: 'object',
      properties: {
        body: { type: 'string', description: 'Markdown.', default: '' },
        title: { type: 'string', maxLength: 80 },
        parent: { $ref: '#/$defs/Issue' },
      },
      required: ['title'],
      $defs: { Issue: { type: 'object', properties: { parent: { $ref: '#/$defs/Issue' } } } },
    },
    outputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  },
};

describe('serverDeclarations', () => {
  it('declares both ways to call a tool, with every part of the schema', () => {
    expect(serverDeclarations('tracker', [ISSUES])).toBe(`/** Tools of the server "tracker". */
export type CreateIssueArgs = {
  /** maxLength: 80. */
  title: string;
  /** Markdown. Default: "". */
  body?: string;
  parent?: Issue;
};
/**
 * Creates an issue.
 * Returns its number.
 */
export function createIssue(args: CreateIssueArgs): Promise<{
  number: number;
}>;
export function createIssue(title: CreateIssueArgs["title"], body?: CreateIssueArgs["body"], parent?: CreateIssueArgs["parent"]): Promise<{
  number: number;
}>;
export type Issue = {
  parent?: Issue;
};

export {};
`);
  });

  it('compiles for any tools, and types calls', () => {
    const use = `import { createIssue } from './servers/tracker.d.ts';
import * as hostile from './servers/hostile.d.ts';
export const number: Promise<{ number: number }> = createIssue({ title: 'x' });
export const positional = createIssue('x', 'body');
// @ts-expect-error the title is missing
createIssue({});
hostile.plain('a');
hostile.proto(1);
`;
    const files = {
      'servers/tracker.d.ts': serverDeclarations('tracker', [ISSUES]),
      'servers/hostile.d.ts': serverDeclarations('*/ hostile\n', hostileTools('hostile')),
      'use.ts': use.replaceAll('.d.ts', ''),
    };
    expect(compile(files)).toBe('');
  });

  needsData.it(
    'compiles for every tool of every catalog',
    () => {
      const files = catalogNames().flatMap((catalog) =>
        readCatalog(catalog).map(({ server, tools }, index) => [
          `servers/${catalog}-${index}.d.ts`,
          serverDeclarations(server, tools),
        ]),
      );
      expect(files.length).toBeGreaterThan(0);
      expect(compile(Object.fromEntries(files))).toBe('');
    },
    120_000,
  );
});

describe('toolDocs', () => {
  it('declares the call itself', () => {
    expect(toolDocs(ISSUES)).toContain(
      'declare function callMCPTool(name: "tracker__create-issue", args: {\n  /** maxLength: 80. */',
    );
  });

  it('compiles for hostile tools', () => {
    const docs = hostileTools('hostile').map((tool, index) => [`servers/${index}.d.ts`, `${toolDocs(tool)}export {};`]);
    expect(compile(Object.fromEntries(docs))).toBe('');
  });
});

it('a required argument with a default is optional, also in a nested object; a required result stays required', () => {
  const level = {
    type: 'object',
    properties: { size: { type: 'number', default: 1 }, id: { type: 'string' } },
    required: ['size', 'id'],
  };
  const inputSchema = { ...level, properties: { ...level.properties, inner: level } };
  const tool: Tool = { id: 's__t', server: 's', definition: { name: 't', inputSchema, outputSchema: level } };
  const [args = '', result = ''] = serverDeclarations('s', [tool]).split(/export function t\(\w+: \w+\)/);
  expect(args.match(/\b(?:size|id)\??:/g)).toEqual(['id:', 'size?:', 'id:', 'size?:']);
  expect(result.slice(0, result.indexOf('}>')).match(/\b(?:size|id)\??:/g)).toEqual(['size:', 'id:']);
  expect(toolDocs(tool)).toContain('/** Default: 1. */\n  size?: number;');
});
