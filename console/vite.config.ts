// Builds the console into dist/console, which the server serves below /console.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // A file that stands in the text of another would need a policy that allows data.
    assetsInlineLimit: 0,
    // Written as an inline script otherwise.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'third-party-licenses.md' },
  },
});
