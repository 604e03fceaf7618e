import type { Platform } from './platform.ts';

/** How long a saved text stays in memory: browsers read it after the click. */
const SAVE_MS = 10_000;

/** Returns the platform of a page that the server itself has served. Its session is a cookie. */
export function browserPlatform(): Platform {
  // The server writes its path into `<base href>`.
  const basePath = new URL('.', document.baseURI).pathname;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  return {
    basePath,
    sharesStream: true,
    request: (path, init) => fetch(`${basePath}${path}`, init),
    follow(path, { types, onOpen, onEvent, onLost }) {
      const source = new EventSource(`${basePath}${path}`);
      source.onopen = onOpen;
      for (const type of types)
        source.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) =>
          onEvent(type, data, lastEventId),
        );
      // The browser connects again by itself, and names the last event that it has received.
      source.onerror = () => onLost(source.readyState === EventSource.CONNECTING);
      return () => source.close();
    },
    saveFile(name, text, type) {
      const url = URL.createObjectURL(new Blob([text], { type }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), SAVE_MS);
    },
    openPage: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
    reload: () => location.reload(),
    read: (key) => localStorage.getItem(key),
    write: (key, text) => localStorage.setItem(key, text),
    isDark: () => dark.matches,
    onColours: (listener) => dark.addEventListener('change', listener),
  };
}
