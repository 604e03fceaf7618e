import { classHighlighter, highlightCode } from '@lezer/highlight';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { count } from '../text/format.ts';
import { Text } from '../text/text.tsx';

const MAX_LINES = 1_000;

/** What a line of a program did. */
export interface LineMark {
  readonly calls: number;
  readonly isFailed: boolean;
  readonly isWaiting: boolean;
}

interface ProgramProps {
  readonly source: string;
  readonly language: string;
  readonly marks?: ReadonlyMap<number, LineMark>;
  /** Highlighted lines. The first one is scrolled into view. */
  readonly chosen?: readonly number[];
  /** The line of the error. */
  readonly failedLine?: number | undefined;
  readonly choose?: (line: number) => void;
}

/** A piece of a line with one colour. */
interface Token {
  readonly text: string;
  readonly className: string;
}

const typescript = javascript.configure({ dialect: 'ts' });
/** Longer programs have no colours: the parser would block the page. */
const MAX_HIGHLIGHTED = 200_000;
/** So has a line with more tokens: the browser would need seconds for its elements. */
const MAX_TOKENS = 2_000;

/** Shows a program with colours, and marks at the lines that called tools. */
export function Program({ source, language, marks, chosen = [], failedLine, choose }: ProgramProps): ReactNode {
  const lines = useMemo(() => highlight(source, language), [source, language]);
  const [limit, setLimit] = useState(MAX_LINES);
  const box = useRef<HTMLDivElement>(null);
  const [first] = chosen;
  useEffect(() => {
    if (first === undefined) return;
    const line = box.current?.querySelector<HTMLElement>(`[data-line="${first}"]`);
    if (line && box.current) box.current.scrollTop = line.offsetTop - box.current.clientHeight / 3;
  }, [first]);
  return (
    <div ref={box} className="code relative h-full overflow-auto py-2" role="group" aria-label="Program" tabIndex={0}>
      {lines.slice(0, limit).map((tokens, index) => {
        const number = index + 1;
        const back = number === failedLine ? 'bg-bad-back' : chosen.includes(number) ? 'bg-chosen' : '';
        return (
          <div key={number} data-line={number} className={`flex pr-4 ${back || 'bg-panel'}`}>
            <Gutter number={number} mark={marks?.get(number)} choose={choose} />
            <span className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
              {tokens.map(({ text, className }, position) => (
                <span key={position} className={className}>
                  <Text value={text} limit={1_000} />
                </span>
              ))}
              {tokens.length === 0 && '\u200b'}
            </span>
          </div>
        );
      })}
      {lines.length > limit && (
        <button type="button" className="button m-2" onClick={() => setLimit(lines.length)}>
          {count(lines.length - limit)} more lines
        </button>
      )}
    </div>
  );
}

interface GutterProps {
  readonly number: number;
  readonly mark: LineMark | undefined;
  readonly choose: ((line: number) => void) | undefined;
}

function Gutter({ number, mark, choose }: GutterProps): ReactNode {
  const colour = mark?.isFailed ? 'text-bad' : mark?.isWaiting ? 'text-wait' : 'text-ink';
  return (
    <span className="sticky left-0 flex w-14 shrink-0 justify-end gap-1 bg-inherit pr-3 text-muted select-none">
      {mark && (
        <button
          type="button"
          className={`min-w-5 cursor-pointer rounded text-left font-semibold ${colour}`}
          aria-label={`Line ${number}: ${mark.calls} ${mark.calls === 1 ? 'call' : 'calls'}${mark.isFailed ? ', failed' : ''}${mark.isWaiting ? ', waits' : ''}`}
          onClick={() => choose?.(number)}
        >
          {mark.isFailed ? '×' : mark.isWaiting ? '!' : '→'}
          {mark.calls > 1 && mark.calls}
        </button>
      )}
      <span aria-hidden="true">{number}</span>
    </span>
  );
}

/** Splits a program into lines of coloured tokens. */
export function highlight(source: string, language: string): readonly (readonly Token[])[] {
  if (source.length > MAX_HIGHLIGHTED) return source.split('\n').map((text) => (text === '' ? [] : [plain(text)]));
  const lines: Token[][] = [[]];
  const tree = (language === 'python' ? python : typescript).parse(source);
  highlightCode(
    source,
    tree,
    classHighlighter,
    (text, className) => lines.at(-1)?.push({ text, className }),
    () => lines.push([]),
  );
  return lines.map((line) => (line.length > MAX_TOKENS ? [plain(line.map(({ text }) => text).join(''))] : line));
}

function plain(text: string): Token {
  return { text, className: '' };
}
