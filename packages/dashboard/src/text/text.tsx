import { type ReactNode, useState } from 'react';
import { count } from './format.ts';
import { cutText, visibleParts } from './visible.ts';

const MORE_STEP = 20_000;
/** Characters of the end of a text that is cut in the middle. */
const END_LENGTH = 200;
const PLACEHOLDER = /(\[[A-Z][A-Z0-9_]*_\d+\])/;

interface TextProps {
  /** Text of a program, a tool, a server or a model. */
  readonly value: string;
  /** Shown characters before "more". */
  readonly limit?: number;
  readonly className?: string;
  /** Whether a long text ends with dots instead of a button: inside of buttons and links. */
  readonly isCut?: boolean;
  /** Whether a long text is cut in the middle: its end may be what matters. */
  readonly cutsMiddle?: boolean;
}

/**
 * Shows a text that others wrote: as text, with hidden characters as escapes, placeholders of personal data as such, and cut
 * when it is long. Every such text of the dashboard is shown by this component.
 */
export function Text({ value, limit = 2_000, className, isCut = false, cutsMiddle = false }: TextProps): ReactNode {
  const [shownLimit, setShownLimit] = useState(limit);
  const cut = cutText(value, shownLimit);
  const end = cutsMiddle && cut.rest > END_LENGTH ? value.slice(-END_LENGTH) : '';
  const { shown, rest } = { shown: cut.shown, rest: cut.rest - end.length };
  return (
    <span className={`[overflow-wrap:anywhere] ${className ?? ''}`} dir="ltr">
      {visibleParts(shown).map((part, index) =>
        part.isEscape ? (
          <span key={index} className="escape" title="A hidden character">
            {part.text}
          </span>
        ) : (
          <WithPlaceholders key={index} text={part.text} />
        ),
      )}
      {rest > 0 && isCut && '…'}
      {rest > 0 && !isCut && (
        <button
          type="button"
          className="ml-1 cursor-pointer text-link underline"
          onClick={(event) => {
            event.stopPropagation();
            setShownLimit(shownLimit + MORE_STEP);
          }}
        >
          … {count(rest)} more characters{end !== '' && ' …'}
        </button>
      )}
      {end !== '' && visibleParts(end).map((part, index) => <span key={index}>{part.text}</span>)}
    </span>
  );
}

function WithPlaceholders({ text }: { readonly text: string }): ReactNode {
  if (!text.includes('_')) return text;
  return text.split(PLACEHOLDER).map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className="placeholder" title="Stands for personal data, which the model never sees">
        {part}
      </span>
    ) : (
      part
    ),
  );
}
