import formbody from '@fastify/formbody';
import type { FastifyPluginAsync } from 'fastify';
import { refuseOtherMethods, refuseOtherPaths } from '#http';
import { serveAssets } from './assets/index.ts';
import type { DeskOptions } from './context.ts';
import { createErrorPages } from './error-pages.ts';
import { activityCsvRoutes } from './pages/activity/csv.ts';
import { activityRoutes } from './pages/activity/page.ts';
import { metricRoutes } from './pages/data/metric.ts';
import { dataRoutes } from './pages/data/page.ts';
import { uploadRoutes } from './pages/data/upload.ts';
import { decideRoutes } from './pages/decide.ts';
import { grantsRoutes } from './pages/grants.ts';
import { inboxRoutes } from './pages/inbox.ts';
import { languageRoutes } from './pages/language.ts';
import { liveRoutes } from './pages/live.ts';
import { receiptsRoutes } from './pages/receipts.ts';
import { requestRoutes } from './pages/request.ts';
import { requestsRoutes } from './pages/requests.ts';
import { sessionRoutes } from './pages/sessions.ts';
import { contactRoutes } from './pages/settings/contacts.ts';
import { keyRoutes } from './pages/settings/keys.ts';
import { endpointRoutes } from './pages/settings/webhook-endpoint.ts';
import { webhookRoutes } from './pages/settings/webhooks.ts';
import { signInRoutes } from './pages/sign-in.ts';
import type { Route } from './route.ts';
import { setSecurityHeaders } from './security.ts';
import { serveRoute } from './serve-route.ts';
import { parseFileForms } from './uploaded-file.ts';

export type { MailsSent } from './context.ts';

const routes: readonly Route[] = [
  ...signInRoutes,
  ...languageRoutes,
  ...inboxRoutes,
  ...requestsRoutes,
  ...requestRoutes,
  ...decideRoutes,
  ...grantsRoutes,
  ...activityRoutes,
  ...activityCsvRoutes,
  ...dataRoutes,
  ...metricRoutes,
  ...uploadRoutes,
  ...receiptsRoutes,
  ...liveRoutes,
  ...contactRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...endpointRoutes,
  ...sessionRoutes,
];

/** The page of a company's contacts. Register it with the prefix `/desk`, where their sessions are admitted. */
export const desk: FastifyPluginAsync<DeskOptions> = async (app, options) => {
  app.removeAllContentTypeParsers();
  await app.register(formbody);
  parseFileForms(app);
  setSecurityHeaders(app);
  app.setErrorHandler(createErrorPages(options));
  await app.register(serveAssets, { prefix: '/assets' });
  const methods = Map.groupBy(routes, ({ path }) => path);
  for (const [path, ofPath] of methods) {
    for (const route of ofPath) serveRoute(app, route, options);
    const allowed = ofPath.flatMap(({ method }) =>
      method === 'GET' ? ['GET' as const, 'HEAD' as const] : [method],
    );
    refuseOtherMethods(app, path, allowed);
  }
  refuseOtherPaths(app, { open: true });
};
