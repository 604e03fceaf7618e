import { browserPlatform } from './browser.ts';
import type { Platform } from './platform.ts';
import { type WebviewApi, webviewPlatform } from './webview.ts';

declare global {
  interface Window {
    /** VS Code adds it to its webviews. It may be called once. */
    readonly acquireVsCodeApi?: () => WebviewApi;
  }
}

/** The platform of this page. */
export const platform: Platform =
  window.acquireVsCodeApi === undefined ? browserPlatform() : webviewPlatform(window.acquireVsCodeApi());
