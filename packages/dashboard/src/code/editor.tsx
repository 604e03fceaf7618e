import { javascript } from '@codemirror/lang-javascript';
import { python } from '@codemirror/lang-python';
import { syntaxHighlighting } from '@codemirror/language';
import { classHighlighter } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { type ReactNode, useEffect, useRef } from 'react';
import { NONCE } from '../app/nonce.ts';

const theme = EditorView.theme({
  '&': { fontSize: '0.8rem', backgroundColor: 'var(--panel)', color: 'var(--ink)', maxHeight: '50vh' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', borderColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sunken)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--chosen) !important' },
});

interface EditorProps {
  readonly value: string;
  readonly language: string;
  readonly change: (text: string) => void;
  readonly label: string;
}

/** An editor of programs. `value` is the text at the start. */
export function Editor({ value, language, change, label }: EditorProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    if (!box.current) return;
    const view = new EditorView({
      doc: value,
      parent: box.current,
      extensions: [
        EditorView.cspNonce.of(NONCE),
        basicSetup,
        language === 'python' ? python() : javascript({ typescript: true }),
        syntaxHighlighting(classHighlighter),
        theme,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current(update.state.doc.toString());
        }),
      ],
    });
    return () => view.destroy();
  }, [value, language, label]);
  return <div ref={box} className="overflow-hidden rounded-md border border-line" />;
}
