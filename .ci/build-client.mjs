// Builds the package of the client from client/ and what it knows of the service by type. It holds what it needs of tRPC.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from './bundle.mjs';

await bundle('client', {
  declarations: {
    includeExternal: ['@trpc/server'],
    // What is tRPC's stands in a file of its own, so that ours can be read.
    chunkFileNames: '[name].d.ts',
    manualChunks: (id) => (id.includes('node_modules/@trpc/') ? 'trpc' : undefined),
  },
});

// The licences of what is carried along must come along.
for (const [name, file] of [
  ['@trpc/client', 'LICENSE-tRPC'],
  ['eventsource-parser', 'LICENSE-eventsource-parser'],
]) {
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(root, 'client/dist', file));
}
