import type { JsonSchema, Tool } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { catalogNames, readCatalog } from '../../../../../../test/catalogs.ts';
import { needsData } from '../../../../../../test/data.ts';
import { needsPython, python } from '../../../../../../test/fixtures/python.ts';
import { hostileTools } from '../../../../../../test/hostile-tools.ts';
import { pythonDeclarations, pythonDocs } from './writer.ts';

const PLACE = { module: 'tracker', name: 'create_issue' };

const ISSUE: Tool = {
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
        state: { enum: ['open', 'closed', null] },
        from: { type: 'integer' },
        parent: { $ref: '#/$defs/Issue' },
        labels: {
          type: 'array',
          items: { type: 'object', properties: { 'odd key': { type: 'string' }, on: {} }, required: ['on'] },
        },
      },
      required: ['title'],
      $defs: { Issue: { type: 'object', properties: { parent: { $ref: '#/$defs/Issue' } } } },
    },
    outputSchema: {
      type: 'object',
      properties: { number: { type: 'integer' }, url: { type: 'string' } },
      required: ['number'],
    },
  },
};

function definition(inputSchema: JsonSchema, outputSchema?: JsonSchema): Tool {
  const own = { name: 't', inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
  return { id: 's__t', server: 's', definition: own };
}

/** Returns the problems of stub files: syntax errors, duplicate declarations and undeclared names. */
function problems(stubs: readonly string[]): unknown {
  const code = `
import ast, builtins
bad = []
for number, text in enumerate(json.load(sys.stdin)):
    try:
        tree = ast.parse(text)
    except Exception as error:
        bad.append([number, repr(error)])
        continue
    declared = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef))]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            declared += [alias.name for alias in node.names]
        elif isinstance(node, ast.Assign):
            declared += [target.id for target in node.targets]
        elif isinstance(node, ast.AnnAssign):
            declared.append(node.target.id)
        elif not isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef, ast.Expr)):
            bad.append([number, "strange statement", ast.dump(node)[:200]])
    twice = {name for name in declared if declared.count(name) > 1}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    missing = used - set(declared) - set(dir(builtins))
    if twice or missing:
        bad.append([number, sorted(twice), sorted(missing)])
print(json.dumps(bad[:10]))`;
  return python(code, stubs);
}

needsPython.describe('pythonDeclarations', () => {
  it('declares functions with every part of the schema', () => {
    expect(
      pythonDeclarations('tracker', [ISSUE]),
    ).toBe(`"""Tools of the server "tracker". Each also accepts all of its arguments in one dict."""
from typing import Any, Literal, Never, NotRequired, TypeAlias, TypedDict

CreateIssueLabelsItem = TypedDict("CreateIssueLabelsItem", {
    "on": Any,
    "odd key": NotRequired[str],
})
class CreateIssueResult(TypedDict):
    number: int
    url: NotRequired[str]
class Issue(TypedDict, total=False):
    parent: Issue
async def create_issue(
    # maxLength: 80.
    title: str,
    *,
    # Markdown. Default: "".
    body: str | None = None,
    state: Literal["open", "closed"] | None = None,
    # Sent as "from".
    from_: int | None = None,
    parent: Issue | None = None,
    labels: list[CreateIssueLabelsItem] | None = None,
) -> CreateIssueResult:
    """Creates an issue.
    Returns its number.
    """
`);
  });

  it('fits on one line without descriptions', () => {
    const tool = definition({ properties: { a: { type: 'string' }, b: {} }, required: ['a'] });
    expect(pythonDeclarations('s', [tool])).toContain('\nasync def t(a: str, *, b: Any = None) -> Any:\n    ...\n');
  });

  it.each<[string, JsonSchema, string]>([
    ['no parameters', {}, 'async def t() -> Any'],
    ['any object', { additionalProperties: true }, 'async def t(**more: Any) -> Any'],
    ['a map', { additionalProperties: { type: 'string' } }, 'async def t(**more: str) -> Any'],
    [
      'an open object',
      { properties: { more: {} }, additionalProperties: {} },
      'async def t(*, more: Any = None, **more_: Any) -> Any',
    ],
    [
      'alternatives',
      { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
      'async def t(args: TArgs | TArgs2, /) -> Any',
    ],
  ])('%s', (_, schema, text) => {
    expect(pythonDeclarations('s', [definition(schema)])).toContain(text);
  });

  it('declares every kind of definition', () => {
    const stub = pythonDeclarations('s', [
      definition(
        {
          properties: {
            tree: { $ref: '#/$defs/Tree' },
            either: { $ref: '#/$defs/Either' },
            again: { $ref: '#/$defs/Again' },
          },
          $defs: {
            Tree: { type: 'array', items: { $ref: '#/$defs/Tree' } },
            Either: { anyOf: [{ properties: { str: { type: 'string' } }, required: ['str'] }, { type: 'null' }] },
            Again: { $ref: '#/$defs/Either' },
          },
        },
        { type: 'array', items: { properties: { str: { type: 'string' } }, required: ['str'] } },
      ),
    ]);
    expect(stub).toContain('Tree: TypeAlias = list[Tree]\n');
    expect(stub).toContain('TResultItem = TypedDict("TResultItem", {\n    "str": str,\n})\n');
    expect(stub).toContain('Either: TypeAlias = TResultItem | None\nAgain: TypeAlias = TResultItem | None\n');
    expect(problems([stub])).toEqual([]);
  });

  it('is valid for hostile tools', () => {
    const tools = hostileTools('hostile');
    expect(problems([pythonDeclarations('""" \\ hostile \u2028', tools)])).toEqual([]);
  });

  needsData.it('is valid for every tool of every catalog', () => {
    const stubs = catalogNames().flatMap((name) =>
      readCatalog(name).map(({ server, tools }) => pythonDeclarations(server, tools)),
    );
    expect(stubs.length).toBeGreaterThan(500);
    expect(problems(stubs)).toEqual([]);
  });
});

needsPython.describe('pythonDocs', () => {
  it('shows how to call the tool', () => {
    expect(pythonDocs(ISSUE, PLACE)).toMatch(
      /^# from servers\.tracker import create_issue \(tool "tracker__create-issue"\)\nCreateIssueLabelsItem = /,
    );
  });

  it('is valid for hostile tools', () => {
    const typing = 'from typing import Any, Literal, Never, NotRequired, TypeAlias, TypedDict\n';
    const docs = hostileTools('hostile').map((tool) => `${typing}${pythonDocs(tool, PLACE)}`);
    expect(problems(docs)).toEqual([]);
  });
});

it('a required argument with a default is optional, a required result is not', () => {
  const schema = { type: 'object', properties: { size: { type: 'integer', default: 1 } }, required: ['size'] };
  const text = pythonDocs(definition(schema, schema), PLACE);
  expect(text).toMatch(/async def create_issue\(\n {4}\*,\n {4}# Default: 1\.\n {4}size: int \| None = None,\n\)/);
  expect(text).toMatch(/class CreateIssueResult\(TypedDict\):\n {4}# Default: 1\.\n {4}size: int\n/);
});
