/** The announcements that tools of a catalog may have changed: servers came, went or announced it, or their tools were listed. */
export interface ToolChanges {
  /** Adds a listener. Returns a function that removes it. */
  on(listener: () => void): () => void;
  /** Calls the listeners. */
  changed(): void;
}

/** Creates the announcements of a catalog. */
export function createToolChanges(): ToolChanges {
  const listeners = new Set<() => void>();
  return {
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed() {
      for (const listener of [...listeners]) listener();
    },
  };
}
