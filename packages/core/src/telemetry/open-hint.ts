/** Time between two looks in milliseconds. */
const LOOK_MS = 2_000;
/** Kinds of resources that servers and sandboxes hold, and terminals. A timer, a socket or a request belongs to other work. */
const OWN_KINDS: ReadonlySet<string> = new Set(['PipeWrap', 'ProcessWrap', 'TTYWrap']);

const HINT =
  'This process is idle and does not end, because a Toolwright is open: its servers and sandboxes run. Call close(), or create it with "await using".';

/**
 * Warns once about a missing call of `close()`: no execution runs, and for two looks nothing but servers and sandboxes has kept this
 * process alive.
 */
export function hintWhenForgotten(
  isIdle: () => boolean,
  warn: (text: string) => void = (text) => process.emitWarning(text, { code: 'TOOLWRIGHT_OPEN' }),
  kinds: () => readonly string[] = () => process.getActiveResourcesInfo(),
): Disposable {
  let idleLooks = 0;
  const looking = setInterval(() => {
    const held = kinds();
    const isOpen = held.includes('ProcessWrap') && held.every((kind) => OWN_KINDS.has(kind)) && !readsInput();
    idleLooks = isOpen && isIdle() ? idleLooks + 1 : 0;
    if (idleLooks < 2) return;
    clearInterval(looking);
    warn(HINT);
  }, LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(looking) };
}

/** A server on standard input waits for its client, and a prompt for its person. */
function readsInput(): boolean {
  return process.stdin.listenerCount('data') + process.stdin.listenerCount('readable') > 0;
}
