import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: { chunkSizeWarningLimit: 1_000 },
  // By `npm run dev` the page comes from Vite, and what it asks for from the backend.
  server: { proxy: { '^/(graphql|events)': 'http://127.0.0.1:5180' } },
});
