import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: { chunkSizeWarningLimit: 1_000 },
  // During development (`npm run dev`), Vite serves the page and forwards API requests to the backend.
  server: { proxy: { '^/(graphql|events)': 'http://127.0.0.1:5180' } },
});
