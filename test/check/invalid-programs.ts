/** A program with a mistake, and the expected report of the check. */
export interface InvalidProgram {
  readonly source: string;
  readonly line: number;
  readonly expected: RegExp;
}

const USE = `import * as github from './servers/github/index.js';\n`;

/** Programs that would fail, or silently do nothing. */
export const INVALID_PROGRAMS: Readonly<Record<string, InvalidProgram>> = {
  'a tool that does not exist': {
    source: `\nawait callMCPTool('github__create_isue', { title: 'x' })`,
    line: 2,
    expected: /no tool "github__create_isue".*github__create_issue/s,
  },
  'a tool without its server': {
    source: `await callMCPTool('read_file', { path: 'x' })`,
    line: 1,
    expected: /files__read_file/,
  },
  'a tool of no server': {
    source: `await callMCPTool('slack__post', { text: 'x' })`,
    line: 1,
    expected: /no tool "slack__post"/,
  },
  'a misspelt argument': {
    source: `await callMCPTool('github__create_issue', {\n  titel: 'x',\n})`,
    line: 2,
    expected: /'titel'.*Did you mean title/s,
  },
  'an argument that does not exist': {
    source: `await callMCPTool('github__create_issue', { title: 'x',\nassignee: 'me' })`,
    line: 2,
    expected: /'assignee' is no argument/,
  },
  'a nested argument that does not exist': {
    source: `await callMCPTool('github__search', { query: 'x', filter: {\n since: 'y' } })`,
    line: 2,
    expected: /'since'/,
  },
  'a missing argument': {
    source: `const a = 1;\nawait callMCPTool('github__list_issues', { owner: 'x' })`,
    line: 2,
    expected: /'repo' is missing.*repo: string/s,
  },
  'no arguments at all': {
    source: `await callMCPTool('files__read_file')`,
    line: 1,
    expected: /arguments are missing.*path: string/s,
  },
  'a number for a text': {
    source: `await callMCPTool('files__read_file', { path: 5 })`,
    line: 1,
    expected: /'path' takes string, not number/,
  },
  'a text for a number': {
    source: `await callMCPTool('files__read_file', { path: 'x',\nhead: '10' })`,
    line: 2,
    expected: /'head' takes number, not/,
  },
  'a value outside of an enum': {
    source: `await callMCPTool('github__list_issues', { owner: 'o', repo: 'r',\n state: 'opened' })`,
    line: 2,
    expected: /"open"/,
  },
  'a text for a list': {
    source: `await callMCPTool('github__create_issue', { title: 'x', labels: 'bug' })`,
    line: 1,
    expected: /'labels' takes string\[\]/,
  },
  'an object for a text': {
    source: `await callMCPTool('files__write_file', { path: 'x', content: { a: 1 } })`,
    line: 1,
    expected: /'content' takes string, not an object/,
  },
  'a function that does not exist': {
    source: `${USE}await github.creatIssue({ title: 'x' })`,
    line: 2,
    expected: /'creatIssue'.*createIssue/s,
  },
  'an import that does not exist': {
    source: `import { readFiles } from './servers/files/index.js';\nawait readFiles({ path: 'x' })`,
    line: 1,
    expected: /'readFiles'.*readFile/s,
  },
  'a default import of a server': {
    source: `import github from './servers/github/index.js';\nawait github.createIssue({ title: 'x' })`,
    line: 1,
    expected: /default/,
  },
  'a server that does not exist': {
    source: `import * as x from './servers/gitlab/index.js';\nreturn x.list()`,
    line: 1,
    expected: /gitlab/,
  },
  'a package': {
    source: `import _ from 'lodash';\nreturn _.map(await callMCPTool('files__list'))`,
    line: 1,
    expected: /lodash/,
  },
  'a wrong argument of a function': {
    source: `${USE}await github.createIssue({ title: 'x', labls: [] })`,
    line: 2,
    expected: /labls.*Did you mean labels/s,
  },
  'a wrong type of a function': {
    source: `${USE}await github.createIssue({ title: 7 })`,
    line: 2,
    expected: /string, not number/,
  },
  'a missing argument of a function': {
    source: `${USE}\nawait github.listIssues({ owner: 'x' })`,
    line: 3,
    expected: /repo/,
  },
  'a wrong positional argument': {
    source: `${USE}await github.listIssues('o', 5)`,
    line: 2,
    expected: /string, not number/,
  },
  'a missing await': {
    source: `const r = callMCPTool('files__read_file', { path: 'a' });\nreturn r.content`,
    line: 2,
    expected: /Promise.*await/s,
  },
  'a missing await of an unknown result': {
    source: `const r = callMCPTool('files__list');\nreturn r.length`,
    line: 2,
    expected: /Promise.*await/s,
  },
  'a missing await in a list of records with different fields': {
    source: `return [{ size: 1 }, { file: callMCPTool('files__list') }]`,
    line: 1,
    expected: /'\[\]\.file' in the result is a Promise.*await/s,
  },
  'a loop without await': {
    source: `for (const name of callMCPTool('files__list')) console.log(name)`,
    line: 1,
    expected: /await/,
  },
  'a promise as an argument': {
    source: `const text = callMCPTool('files__read_file', { path: 'a' }).then((r) => r.content);\nawait callMCPTool('files__write_file', { path: 'b', content: text })`,
    line: 2,
    expected: /await/,
  },
  'a field that does not exist': {
    source: `const r = await callMCPTool('files__read_file', { path: 'a' });\nreturn r.text`,
    line: 2,
    expected: /'text'.*content/s,
  },
  'a misspelt field': {
    source: `${USE}const { issues } = await github.listIssues({ owner: 'o', repo: 'r' });\nreturn issues.map((issue) => issue.nmber)`,
    line: 3,
    expected: /'nmber'.*number/s,
  },
  'a field that is destructured': {
    source: `const { text } = await callMCPTool('files__read_file', { path: 'a' });\nreturn text`,
    line: 1,
    expected: /'text'/,
  },
  'a loop over an object': {
    source: `const r = await callMCPTool('github__list_issues', { owner: 'o', repo: 'r' });\nfor (const issue of r) console.log(issue)`,
    line: 2,
    expected: /iterated/,
  },
  'a misspelt name': {
    source: `const result = await callMCPTool('files__list');\nreturn reslt`,
    line: 2,
    expected: /'reslt'.*result/s,
  },
  fetch: {
    source: `await callMCPTool('files__list');\nreturn await fetch('https://a.b')`,
    line: 2,
    expected: /no network/,
  },
  require: {
    source: `const { execSync } = require('child_process');\nawait callMCPTool('files__list')`,
    line: 1,
    expected: /require takes/,
  },
  'a method that does not exist': {
    source: `const { content } = await callMCPTool('files__read_file', { path: 'a' });\nreturn content.contains('x')`,
    line: 2,
    expected: /'contains'/,
  },
  'a misspelt method of a list': {
    source: `const { issues } = await callMCPTool('github__list_issues', { owner: 'o', repo: 'r' });\nreturn issues.lenght`,
    line: 2,
    expected: /'lenght'.*length/s,
  },
  'a call of what is no function': {
    source: `const { content } = await callMCPTool('files__read_file', { path: 'a' });\nreturn content()`,
    line: 2,
    expected: /no function/,
  },
  'a constant that is assigned': {
    source: `const page = 1;\npage = 2;\nawait callMCPTool('files__list')`,
    line: 2,
    expected: /page/,
  },
  'a function of fs that does not exist': {
    source: `await callMCPTool('files__list');\nawait fs.readJson('x')`,
    line: 2,
    expected: /'readJson'/,
  },
  'the first of several': {
    source: `await callMCPTool('files__list');\nreturn [foo, bar, baz]`,
    line: 2,
    expected: /'foo'.*'bar'/s,
  },
  'a wrong program in TypeScript': {
    source: `const n: number = 1;\nconst r: any = await callMCPTool('files__read_file', { file: 'x' });\nreturn r as string`,
    line: 2,
    expected: /'file' is no argument/,
  },
};
