import { parentPort, workerData } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import type { StaticContent } from '#http';
import type { ApiAddresses } from './addresses.ts';
import { referenceStyle } from './reference-page.ts';

/** The requested part of the reference. */
export interface ReferencePart {
  readonly api: Pick<ApiAddresses, 'title' | 'document'>;
  readonly path: '/docs/' | '/docs/js/scalar.js';
}

/** Reads the script as bytes. The plugin would send its megabytes as a string, which Node copies for each connection. */
async function renderReference({
  api: { title, document },
  path,
}: ReferencePart): Promise<StaticContent> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: document,
      // The page works under any host name.
      servers: [{ url: '/' }],
      pageTitle: title,
      customCss: referenceStyle,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const { statusCode, headers, rawPayload } = await app.inject(path);
  await app.close();
  if (statusCode !== 200) throw new Error(`the reference answers ${path} with ${statusCode}`);
  return { type: String(headers['content-type']), bytes: rawPayload };
}

parentPort?.postMessage(await renderReference(workerData as ReferencePart));
