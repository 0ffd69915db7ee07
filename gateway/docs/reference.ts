import { parentPort, workerData } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import type { StaticContent } from '#http';
import { type Api, referenceStyle } from './reference-page.ts';

export interface ReferencePart {
  readonly api: Pick<Api, 'title' | 'document'>;
  readonly path: '/docs/' | '/docs/js/scalar.js';
}

/** Renders in a separate thread, because a script of several megabytes would block the event loop. */
async function renderReference({
  api: { title, document },
  path,
}: ReferencePart): Promise<StaticContent> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: document,
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
