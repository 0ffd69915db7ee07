import formbody from '@fastify/formbody';
import type { FastifyPluginAsync } from 'fastify';
import { refuseOtherMethods, refuseOtherPaths } from '#http';
import { serveAssets } from './assets/index.ts';
import { activityCsvRoutes } from './company/activity/csv.ts';
import { activityRoutes } from './company/activity/page.ts';
import { metricRoutes } from './company/data/metric.ts';
import { dataRoutes } from './company/data/page.ts';
import { uploadRoutes } from './company/data/upload.ts';
import { decideRoutes } from './company/decide.ts';
import { grantsRoutes } from './company/grants.ts';
import { inboxRoutes } from './company/inbox.ts';
import { receiptsRoutes } from './company/receipts.ts';
import { requestRoutes } from './company/request.ts';
import { requestsRoutes } from './company/requests.ts';
import { contactRoutes } from './company/settings/contacts.ts';
import { keyRoutes } from './company/settings/keys.ts';
import { endpointRoutes } from './company/settings/webhook-endpoint.ts';
import { webhookRoutes } from './company/settings/webhooks.ts';
import type { DeskOptions } from './context.ts';
import { createErrorPages } from './error-pages.ts';
import { investorRoutes } from './investor/index.ts';
import { languageRoutes } from './pages/language.ts';
import { liveRoutes } from './pages/live.ts';
import { providerRoutes } from './pages/provider.ts';
import { sessionRoutes } from './pages/sessions.ts';
import { signInRoutes } from './pages/sign-in.ts';
import type { Route } from './route.ts';
import { setSecurityHeaders } from './security.ts';
import { serveRoute } from './serve-route.ts';
import { parseFileForms } from './uploaded-file.ts';

export type { MailsSent } from './context.ts';

const routes: readonly Route[] = [
  ...signInRoutes,
  ...providerRoutes,
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
  ...investorRoutes,
];

/** The pages of contacts. Register it with the prefix `/desk`, where their sessions are admitted. */
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
