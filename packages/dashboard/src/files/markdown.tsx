import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';
import { Text } from '../text/text.tsx';

/** Levels of lists and quotations. */
const MAX_DEPTH = 20;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const HEADINGS = ['text-lg', 'text-base', 'text-base', '', '', ''] as const;

/** Shows a document of Markdown. HTML is shown as its source, pictures as their text, and links as text with their address. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <div
      className="flex flex-col gap-2 rounded-md border border-line p-3"
      tabIndex={0}
      role="group"
      aria-label="Document"
    >
      <Blocks tokens={lexer(text)} depth={0} />
    </div>
  );
}

interface TokensProps {
  readonly tokens: readonly Token[] | undefined;
  readonly depth: number;
}

function Blocks({ tokens = [], depth }: TokensProps): ReactNode {
  if (depth > MAX_DEPTH) return <Source text="…" />;
  return tokens.map((token, index) => <Block key={index} token={token} depth={depth} />);
}

function Block({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  const inner = <Inlines tokens={'tokens' in token ? token.tokens : undefined} depth={depth + 1} />;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // A heading of a file is no heading of the page.
      return <p className={`font-semibold ${HEADINGS[(token as Tokens.Heading).depth - 1] ?? ''}`}>{inner}</p>;
    case 'paragraph':
      return <p>{inner}</p>;
    case 'text':
      return 'tokens' in token ? inner : <Text value={plain(token.raw)} />;
    case 'code':
      return (
        <pre className="code overflow-x-auto rounded border border-line p-2 whitespace-pre-wrap">
          <Text value={(token as Tokens.Code).text} />
        </pre>
      );
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-line pl-3 text-muted">
          <Blocks tokens={(token as Tokens.Blockquote).tokens} depth={depth + 1} />
        </blockquote>
      );
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />;
    case 'table':
      return <TableOf table={token as Tokens.Table} depth={depth} />;
    case 'hr':
      return <hr className="border-line" />;
    default:
      return <Source text={token.raw} />;
  }
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }): ReactNode {
  const items = list.items.map(({ tokens, task, checked }, index) => (
    <li key={index}>
      {task && <input type="checkbox" checked={checked === true} disabled aria-label="Done" className="mr-1" />}
      <Blocks tokens={tokens} depth={depth + 1} />
    </li>
  ));
  if (!list.ordered) return <ul className="list-disc pl-5">{items}</ul>;
  return (
    <ol className="list-decimal pl-5" start={list.start === '' ? 1 : list.start}>
      {items}
    </ol>
  );
}

function TableOf({
  table: { header, rows },
  depth,
}: {
  readonly table: Tokens.Table;
  readonly depth: number;
}): ReactNode {
  return (
    <div className="overflow-x-auto">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, index) => (
              <th key={index} scope="col" className="border-b border-line px-2 py-1 text-left">
                <Inlines tokens={tokens} depth={depth + 1} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} className="border-b border-line">
              {row.map(({ tokens }, column) => (
                <td key={column} className="px-2 py-0.5">
                  <Inlines tokens={tokens} depth={depth + 1} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ tokens = [], depth }: TokensProps): ReactNode {
  if (depth > MAX_DEPTH) return <Source text="…" />;
  return tokens.map((token, index) => <Fragment key={index}>{inline(token, depth)}</Fragment>);
}

function inline(token: Token, depth: number): ReactNode {
  const inner = <Inlines tokens={'tokens' in token ? token.tokens : undefined} depth={depth + 1} />;
  switch (token.type) {
    case 'strong':
      return <strong>{inner}</strong>;
    case 'em':
      return <em>{inner}</em>;
    case 'del':
      return <del>{inner}</del>;
    case 'br':
      return <br />;
    case 'codespan':
      return (
        <code className="code">
          <Text value={plain((token as Tokens.Codespan).text)} />
        </code>
      );
    case 'link':
      return <Address text={inner} address={(token as Tokens.Link).href} />;
    case 'image':
      return (
        <Address text={<Text value={plain((token as Tokens.Image).text)} />} address={(token as Tokens.Image).href} />
      );
    case 'escape':
    case 'text':
      return 'tokens' in token && token.tokens ? inner : <Text value={plain((token as Tokens.Text).text)} />;
    default:
      return <Source text={token.raw} />;
  }
}

/** Nobody follows a link of a program by mistake. */
function Address({ text, address }: { readonly text: ReactNode; readonly address: string }): ReactNode {
  return (
    <span>
      {text}{' '}
      <span className="text-muted">
        (<Text value={address} limit={200} />)
      </span>
    </span>
  );
}

function Source({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="code whitespace-pre-wrap">
      <Text value={text} />
    </span>
  );
}

/** Returns a text whose characters the lexer has written as entities of HTML. */
function plain(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
