import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server at which `npm run dev` sends its requests. */
const SERVER = process.env.TOOLWRIGHT_URL ?? 'http://127.0.0.1:8377';

export default defineConfig({
  // Relative addresses: the server writes `<base href>`, so that the pages work below any path.
  base: './',
  plugins: [react(), tailwindcss()],
  // Scripts and images that are part of the page would break the content security policy.
  build: {
    outDir: '../server/dashboard',
    emptyOutDir: true,
    assetsDir: 'ui/assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    manifest: 'manifest.json',
    license: { fileName: 'licences.txt' },
  },
  server: { proxy: { '^/(?!ui|src|node_modules|@|$)': SERVER } },
});
