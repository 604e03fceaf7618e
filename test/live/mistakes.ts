/** A small workflow after the node `Start`, which returns {@link ITEMS}. */
export interface SmallWorkflow {
  readonly nodes: readonly object[];
  readonly connections?: readonly string[];
  /** n8n runs it to its end, with a wrong result: a finding is right. */
  readonly isSilent?: true;
}

/** The items of the node `Start`. */
export const ITEMS: readonly object[] = [
  { id: 1, name: 'Ada', tags: ['x', 'y'], at: '2026-01-02', deep: { a: 1 } },
  { id: 2, name: 'Bob', tags: ['z', 'w'], at: '2026-03-04', deep: { a: 2 } },
];
/** An address that answers with JSON; the test replaces it. */
export const ADDRESS = 'http://address.test';

const js = (jsCode: string, mode?: string): SmallWorkflow => ({
  nodes: [{ type: 'code', name: 'Code', parameters: { jsCode, ...(mode ? { mode } : {}) } }],
});
const eachItem = (jsCode: string): SmallWorkflow => js(jsCode, 'runOnceForEachItem');
const set = (value: unknown, type = 'string'): SmallWorkflow => ({
  nodes: [
    {
      type: 'set',
      name: 'Set',
      parameters: { assignments: { assignments: [{ id: '1', name: 'field', value, type }] } },
    },
  ],
});
const silent = (workflow: SmallWorkflow): SmallWorkflow => ({ ...workflow, isSilent: true });
const raw = (jsonOutput: string): SmallWorkflow => one('set', { mode: 'raw', jsonOutput });
const one = (type: string, parameters: object = {}): SmallWorkflow => ({ nodes: [{ type, name: 'Node', parameters }] });
const http = (parameters: object): SmallWorkflow => one('httpRequest', { url: ADDRESS, ...parameters });
const when = (leftValue: unknown, type: string, operation: string, rightValue?: unknown, type2 = 'if'): SmallWorkflow =>
  one(type2, {
    conditions: {
      options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
      combinator: 'and',
      conditions: [
        {
          id: '1',
          leftValue,
          rightValue: rightValue ?? '',
          operator: { type, operation, ...(rightValue === undefined ? { singleValue: true } : {}) },
        },
      ],
    },
  });
const body = (jsonBody: string): SmallWorkflow =>
  http({ method: 'POST', sendBody: true, specifyBody: 'json', jsonBody });
const merge = (parameters: object): SmallWorkflow => ({
  nodes: [
    { type: 'noOp', name: 'Left' },
    { type: 'noOp', name: 'Right' },
    { type: 'merge', name: 'Merge', parameters },
  ],
  connections: ['Start -> Left', 'Start -> Right', 'Left -> Merge [Input 1]', 'Right -> Merge [Input 2]'],
});

/** Small workflows with and without a mistake that n8n publishes. */
export const SMALL_WORKFLOWS: Readonly<Record<string, SmallWorkflow>> = {
  'code: missing bracket': js('return [{ json: { a: 1 } };'),
  'code: braces of an expression': js('return [{ json: { a: {{ $json.id }} } }];'),
  'code: import': js("import fs from 'fs';\nreturn [];"),
  'code: export': js('export default () => [];'),
  'code: returns a number': js('return 5;'),
  'code: returns a text': js("return 'done';"),
  'code: list of numbers': js('return [1, 2];'),
  'code: list of texts by map': js('return $input.all().map((item) => item.json.name);'),
  'code: json is a number': js('return [{ json: 5 }];'),
  'code: json is a list': js('return [{ json: [1] }];'),
  'code: null': js('return null;'),
  'code: no return': js('const a = 1;'),
  'code: function that is not called': js('function main() { return []; }'),
  'code: each item returns a list': eachItem('return [{ json: { a: 1 } }];'),
  'code: each item reads all': eachItem('return { json: { n: $input.all().length } };'),
  'code: each item reads first': eachItem('return { json: { n: $input.first().json.id } };'),
  'code: each item returns a number': eachItem('return $json.id;'),
  'code: item in mode all': js('return [{ json: { a: $input.item.json.id } }];'),
  'code: crypto': js("const c = require('crypto');\nreturn [{ json: { a: c.randomUUID() } }];"),
  'code: axios': js("const axios = require('axios');\nreturn [];"),
  'code: fetch': js(`const r = await fetch('${ADDRESS}');\nreturn [{ json: { a: r.status } }];`),
  'code: missing await': silent(
    js(`const r = this.helpers.httpRequest({ url: '${ADDRESS}' });\nreturn [{ json: { r } }];`),
  ),
  'code: $helpers': js(`return [{ json: await $helpers.httpRequest({ url: '${ADDRESS}' }) }];`),
  'code: unknown node': js("return [{ json: $('Nope').first().json }];"),
  'code: unknown node, old form': js('return [{ json: $node["Nope"].json }];'),
  'code: process': js('return [{ json: { a: process.env.HOME } }];'),
  'code: lodash': js('return _.map($input.all(), (i) => i);'),
  'code: moment': js('return [{ json: { a: moment().format() } }];'),
  'code: document': js('return [{ json: { a: document.title } }];'),
  'code: axios without require': js(`const r = await axios.get('${ADDRESS}');\nreturn [{ json: r.data }];`),
  'code: undeclared variable': js('return [{ json: { a: total } }];'),
  'code: constant twice': js('const a = 1;\nconst a = 2;\nreturn [{ json: { a } }];'),
  'code: assigns to a constant': js('const a = 1;\na = 2;\nreturn [{ json: { a } }];'),
  'code: function instead of a call': js('return $input.all;'),
  'code: await in a callback': js('return $input.all().map((i) => ({ json: { a: await i } }));'),
  'code: list of promises': silent(js('return $input.all().map(async (i) => ({ json: { a: i.json.id } }));')),
  'code: unknown method of $input': js('return $input.items();'),
  'code: reads a field of nothing': js('return [{ json: { a: $input.first().json.nothing.at } }];'),
  'code: URL': js("return [{ json: { a: new URL('https://example.test/a').pathname } }];"),
  'code: structuredClone': js('return [{ json: structuredClone($input.first().json) }];'),
  'code: ok, global': js('global.x = 1;\nreturn [{ json: { a: 1 } }];'),
  'code: ok, own names': js(
    'const request = { a: 1 };\nconst { URL } = { URL: 2 };\nreturn [{ json: { process: request.a, URL } }];',
  ),
  'code: typescript': js('const a: number = 1;\nreturn [{ json: { a } }];'),
  'code: python in JavaScript': js('return [{"json": {"a": True}}]'),
  'code: ok, items': js('return $input.all();'),
  'code: ok, plain objects': js('return $input.all().map((i) => ({ ...i.json, x: 1 }));'),
  'code: ok, one object': js('return { a: 1 };'),
  'code: ok, one item': js('return { json: { a: 1 } };'),
  'code: ok, empty': js('return [];'),
  'code: ok, dates': js('return [{ json: { a: $now.toISO(), b: DateTime.now().year } }];'),
  'code: ok, buffer': js("return [{ json: { a: Buffer.from('a').toString('base64') } }];"),
  'code: ok, reference': js("return [{ json: $('Start').first().json }];"),
  'code: ok, await': js(`const r = await this.helpers.httpRequest({ url: '${ADDRESS}' });\nreturn [{ json: { r } }];`),
  'code: ok, loop': js('const out = [];\nfor (const item of items) out.push({ json: item.json });\nreturn out;'),
  'code: ok, each item': eachItem('return { json: { a: $json.id } };'),
  'code: ok, each item plain': eachItem('return { a: $input.item.json.id };'),
  'code: ok, timer': js('await new Promise((r) => setTimeout(r, 5));\nreturn [{ json: {} }];'),
  'code: ok, arrow function': js('const f = (x) => x * 2;\nreturn items.map((i) => ({ json: { a: f(i.json.id) } }));'),
  'set: number from a word': set('abc', 'number'),
  'set: boolean from a word': set('maybe', 'boolean'),
  'set: list from a word': set('one, two', 'array'),
  'set: object from a broken text': set('{bad', 'object'),
  'set: ok, number from a text': set('5', 'number'),
  'set: ok, boolean from a text': set('true', 'boolean'),
  'set: ok, list': set('["a"]', 'array'),
  'set: ok, object': set('={{ $json.deep }}', 'object'),
  'set: raw, broken': raw('{ "a": 1, }'),
  'set: raw, text without quotes': raw('={ "a": {{ $json.name }} }'),
  'set: raw, not an object': raw('[1]'),
  'set: ok, raw': raw('={ "a": {{ $json.id }}, "b": "{{ $json.name }}" }'),
  'set: ok, raw from an expression': raw('={{ { a: $json.id } }}'),
  'set: ok, raw from a text': raw('={{ JSON.stringify($json) }}'),
  'set: variable without braces': silent(set('$json.name')),
  'set: braces without =': silent(set('{{ $json.name }}')),
  'expression: ok, text in it': set('=Hello {{ $json.name }}!'),
  'expression: ok, missing field': set('={{ $json.nothing }}'),
  'expression: ok, optional': set('={{ $json.nothing?.at }}'),
  'expression: field of nothing': set('={{ $json.nothing.at }}'),
  'expression: unknown node': set("={{ $('Nope').item.json.a }}"),
  'expression: unknown node, old form': set('={{ $node["Nope"].json.a }}'),
  'expression: later node': {
    nodes: [...set("={{ $('Later').item.json.a }}").nodes, { type: 'noOp', name: 'Later' }],
  },
  'expression: syntax': set('={{ $json.name + }}'),
  'expression: not closed': silent(set('={{ $json.name')),
  'expression: statement': set('={{ if ($json.id) { 1 } }}'),
  'expression: constant': set('={{ const a = 1; a }}'),
  'expression: unknown function': set('={{ upper($json.name) }}'),
  'expression: unknown method': set('={{ $json.name.toUppercase() }}'),
  'expression: require': set("={{ require('fs') }}"),
  'expression: environment': set('={{ $env.HOME }}'),
  'expression: unknown variable': silent(set('={{ $jsn.name }}')),
  'expression: await': set('={{ await $json.name }}'),
  'expression: ok, functions': set("={{ $json.name.toUpperCase() + $now.format('yyyy') }}"),
  'expression: ok, lists': set("={{ $json.tags.map((t) => t.length).join(',') }}"),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: n8n evaluates it.
  'expression: ok, template': set('={{ `a ${$json.id}` }}'),
  'expression: ok, condition': set("={{ $json.id > 1 ? 'many' : 'one' }}"),
  'expression: ok, all items': set("={{ $('Start').all().length }}"),
  'expression: ok, workflow': set('={{ $workflow.name }} {{ $execution.id }}'),
  'expression: ok, ifEmpty': set("={{ $ifEmpty($json.nothing, 'x') }}"),
  'if: number from a word': when('={{ $json.name }}', 'number', 'gt', 5),
  'if: literal of another type': when('={{ $json.id }}', 'number', 'equals', 'abc'),
  'if: left literal of another type': when('abc', 'number', 'gt', 1),
  'if: text operation on a number': when('={{ $json.id }}', 'string', 'contains', 'a'),
  'if: broken regular expression': when('={{ $json.name }}', 'string', 'regex', '['),
  'if: date from a word': when('soon', 'dateTime', 'after', '2026-01-01'),
  'if: unknown operation': silent(when('={{ $json.name }}', 'string', 'includes', 'a')),
  'if: list operation on a text': when('={{ $json.name }}', 'array', 'contains', 'a'),
  'if: ok, text': when('={{ $json.name }}', 'string', 'equals', 'Ada'),
  'if: ok, number': when('={{ $json.id }}', 'number', 'gt', 1),
  'if: list without the type of the value': when('={{ $json.tags }}', 'array', 'contains', 'x'),
  'if: ok, exists': when('={{ $json.nothing }}', 'string', 'notExists'),
  'if: ok, date': when('={{ $json.at }}', 'dateTime', 'after', '2026-01-01'),
  'if: ok, boolean': when('={{ $json.id > 1 }}', 'boolean', 'true'),
  'filter: ok': when('={{ $json.name }}', 'string', 'startsWith', 'A', 'filter'),
  'filter: literal of another type': when('={{ $json.id }}', 'number', 'lt', 'many', 'filter'),
  'if: without options': silent(
    one('if', {
      conditions: {
        conditions: [{ leftValue: '={{ $json.id }}', rightValue: 1, operator: { type: 'number', operation: 'gt' } }],
      },
    }),
  ),
  'switch: output beyond': one('switch', { mode: 'expression', numberOutputs: 2, output: 4 }),
  'switch: output beyond by an expression': one('switch', { mode: 'expression', numberOutputs: 2, output: '={{ 7 }}' }),
  'switch: ok': one('switch', { mode: 'expression', numberOutputs: 2, output: '={{ $json.id - 1 }}' }),
  'http: no scheme': http({ url: 'example.test/path' }),
  'http: misspelled scheme': http({ url: 'htp://example.test' }),
  'http: only a path': http({ url: '/api/items' }),
  'http: missing address': http({ url: '={{ $json.link }}' }),
  'http: no scheme in an expression': http({ url: '=example.test/{{ $json.id }}' }),
  'http: broken JSON': body('{ "a": 1 '),
  'http: JSON with single quotes': body("{ 'a': 1 }"),
  'http: text without quotes': body('={ "a": {{ $json.name }} }'),
  'http: object in JSON': body('={ "a": {{ $json.deep }} }'),
  'http: broken headers': http({ sendHeaders: true, specifyHeaders: 'json', jsonHeaders: 'x: 1' }),
  'http: broken query': http({ sendQuery: true, specifyQuery: 'json', jsonQuery: 'a=1' }),
  'http: ok': http({}),
  'http: ok, JSON': body('={ "a": {{ $json.id }}, "b": "{{ $json.name }}" }'),
  'http: ok, JSON from an expression': body('={{ JSON.stringify($json) }}'),
  'http: ok, object': body('={{ $json }}'),
  'http: ok, fields': http({
    method: 'POST',
    sendBody: true,
    bodyParameters: { parameters: [{ name: 'a', value: '={{ $json.name }}' }] },
  }),
  'http: ok, query': http({ sendQuery: true, queryParameters: { parameters: [{ name: 'q', value: 'a b' }] } }),
  'respond: broken JSON': one('respondToWebhook', { respondWith: 'json', responseBody: '{ "a": ' }),
  'respond: ok': one('respondToWebhook', { respondWith: 'json', responseBody: '={ "a": {{ $json.id }} }' }),
  'respond: ok, text': one('respondToWebhook', { respondWith: 'text', responseBody: 'thanks' }),
  'merge: without fields': merge({ mode: 'combine' }),
  'merge: broken SQL': merge({ mode: 'combineBySql', query: 'SELEC * FROM input1' }),
  'merge: ok': merge({ mode: 'combine', fieldsToMatchString: 'id' }),
  'merge: ok, position': merge({ mode: 'combine', combineBy: 'combineByPosition' }),
  'merge: ok, append': merge({}),
  'merge: ok, SQL': merge({
    mode: 'combineBySql',
    query: 'SELECT * FROM input1 LEFT JOIN input2 ON input1.id = input2.id',
  }),
  'sort: without fields': one('sort'),
  'sort: unknown field': one('sort', { sortFieldsUi: { sortField: [{ fieldName: 'nothing', order: 'ascending' }] } }),
  'sort: ok': one('sort', { sortFieldsUi: { sortField: [{ fieldName: 'name', order: 'descending' }] } }),
  'duplicates: without fields': one('removeDuplicates', { compare: 'selectedFields' }),
  'duplicates: ok': one('removeDuplicates'),
  'aggregate: without fields': one('aggregate'),
  'aggregate: ok': one('aggregate', { aggregate: 'aggregateAllItemData' }),
  'summarize: without fields': one('summarize'),
  'summarize: ok': one('summarize', { fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'id' }] } }),
  'split out: unknown field': one('splitOut', { fieldToSplitOut: 'nothing' }),
  'split out: ok': one('splitOut', { fieldToSplitOut: 'tags' }),
  'limit: ok': one('limit', { maxItems: 1 }),
  'rename keys: ok': one('renameKeys', { keys: { key: [{ currentKey: 'name', newKey: 'title' }] } }),
  'date: from a word': one('dateTime', { operation: 'formatDate', date: 'soon', format: 'yyyy/MM/dd' }),
  'date: ok': one('dateTime', { operation: 'formatDate', date: '={{ $json.at }}', format: 'yyyy/MM/dd' }),
  'date: add to a word': one('dateTime', { operation: 'addToDate', magnitude: 'soon', duration: 1 }),
  'crypto: ok': one('crypto', { action: 'hash', type: 'SHA256', value: '={{ $json.name }}' }),
  'html: ok': one('html', { operation: 'generateHtmlTemplate', html: '<p>{{ $json.name }}</p>' }),
  'xml: missing field': one('xml', { mode: 'xmlToJson', dataPropertyName: 'nothing' }),
  'markdown: ok': one('markdown', { mode: 'markdownToHtml', markdown: '# A' }),
  'file: no binary data': one('extractFromFile', { operation: 'csv' }),
  'file: ok': one('convertToFile', { operation: 'toJson' }),
  'compression: no binary data': one('compression', { operation: 'compress', fileName: 'a.zip' }),
  'image: no binary data': one('editImage', { operation: 'information' }),
  'sub-workflow: broken JSON': one('executeWorkflow', { source: 'parameter', workflowJson: '{ "nodes": ' }),
  'rss: not an address': one('rssFeedRead', { url: 'news' }),
  'wait: ok': one('wait', { amount: 1, unit: 'seconds' }),
  'loop: ok': {
    nodes: [
      { type: 'splitInBatches', name: 'Loop' },
      { type: 'noOp', name: 'Each' },
    ],
    connections: ['Start -> Loop', 'Loop [loop] -> Each', 'Each -> Loop'],
  },
  'data table: unknown': one('dataTable', {
    operation: 'get',
    dataTableId: { __rl: true, mode: 'id', value: 'nothing' },
  }),
};
