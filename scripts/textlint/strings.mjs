import { parseSync, Visitor } from 'oxc-parser';
import { lineAt, paragraphsOf } from './paragraphs.mjs';

/** Classes whose arguments are messages: all errors but those of the language. */
const ERRORS = /^(?:(?!(?:Aggregate|Range|Reference|Syntax|Type)Error$)\w+Error|HttpProblem|HTTPException)$/;
/** Properties whose values are messages. */
const HINTS = new Set(['hint', 'fix']);
/** Functions whose first argument is the title of a test. */
const TEST = /^(describe|it|test|needs\w*)$/;
/** Files whose strings are all read by people or models. */
const TEXT_FILES = /(^|\/)(definitions|usage|help)\.ts$/;
const SPAN = 'X';

/** Returns the titles of the tests in a file as `{ line, text }`. */
export function extractTitles(path, source) {
  const titles = [];
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (title && TEST.test(rootName(callee) ?? '')) titles.push(...messagesIn(title, new Map(), new Set()));
    },
  }).visit(parseSync(path, source).program);
  return toParagraphs(titles, source);
}

/** `it` of `it.each(…)(…)`. */
function rootName(callee) {
  if (callee.type === 'MemberExpression') return rootName(callee.object);
  if (callee.type === 'CallExpression' || callee.type === 'TaggedTemplateExpression')
    return rootName(callee.callee ?? callee.tag);
  return callee.name;
}

const toParagraphs = (texts, source) =>
  texts
    .sort((a, b) => a.node.start - b.node.start)
    .flatMap(({ node, text }) => paragraphsOf(text, lineAt(source, node.start), lineAt(source, node.end)));

/**
 * Returns the prose in a source file as `{ line, text }`, one per paragraph. Prose is the messages and hints of errors, and
 * all strings in files named definitions, usage or help. Template expressions and code in backticks are replaced by `X`.
 */
export function extractStrings(path, source) {
  const { program } = parseSync(path, source);
  const literals = [];
  const variables = new Map();
  const remember = ({ id, init }) => {
    if (id.type === 'Identifier' && init) variables.set(id.name, [...(variables.get(id.name) ?? []), init]);
  };
  const constructions = [];
  const add = (node) => literals.push(node);
  const isText = TEXT_FILES.test(path);
  new Visitor({
    VariableDeclarator: remember,
    NewExpression: (node) =>
      node.callee.type === 'Identifier' && ERRORS.test(node.callee.name) && constructions.push(node),
    Property: ({ key, value }) => key.type === 'Identifier' && HINTS.has(key.name) && add(value),
    ...(isText && { Literal: add, TemplateLiteral: add }),
  }).visit(program);
  const seen = new Set();
  const texts = [...literals, ...constructions.flatMap((node) => node.arguments)].flatMap((node) =>
    messagesIn(node, variables, seen),
  );
  return toParagraphs(texts, source);
}

function messagesIn(node, variables, seen) {
  if (seen.has(node)) return [];
  seen.add(node);
  const within = (nodes) => nodes.flatMap((child) => messagesIn(child, variables, seen));
  switch (node.type) {
    case 'Literal':
    case 'TemplateLiteral':
      return [{ node, text: textOf(node) }];
    case 'BinaryExpression':
      return isText(node) ? [{ node, text: textOf(node) }] : [];
    case 'ConditionalExpression':
      return within([node.consequent, node.alternate]);
    case 'LogicalExpression':
      return within([node.left, node.right]);
    case 'ObjectExpression':
      return within(node.properties.flatMap((property) => (property.type === 'Property' ? [property.value] : [])));
    case 'Identifier':
      return within(variables.get(node.name) ?? []);
    default:
      return [];
  }
}

const isText = (node) =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node.value === 'string') ||
  (node.type === 'BinaryExpression' && node.operator === '+' && (isText(node.left) || isText(node.right)));

function textOf(node) {
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join(SPAN);
  if (node.type === 'BinaryExpression') return `${textOf(node.left)}${textOf(node.right)}`;
  return node.type === 'Literal' ? (typeof node.value === 'string' ? node.value : '') : SPAN;
}
