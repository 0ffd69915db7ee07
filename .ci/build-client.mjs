// Builds the npm package of the client, with the service's types that the client uses, and parts of tRPC.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from './bundle.mjs';

await bundle('client', {
  declarations: {
    includeExternal: ['@trpc/server'],
    // tRPC's type declarations get a separate file, so that ours stay readable.
    chunkFileNames: '[name].d.ts',
    manualChunks: (id) => (id.includes('node_modules/@trpc/') ? 'trpc' : undefined),
  },
});

// The package must contain the licences of these libraries.
for (const [name, file] of [
  ['@trpc/client', 'LICENSE-tRPC'],
  ['eventsource-parser', 'LICENSE-eventsource-parser'],
]) {
  copyFileSync(join(root, 'node_modules', name, 'LICENSE'), join(root, 'client/dist', file));
}
