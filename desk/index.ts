import formbody from '@fastify/formbody';
import type { FastifyPluginAsync } from 'fastify';
import { refuseOtherMethods, refuseOtherPaths } from '#http';
import { serveAssets } from './assets/index.ts';
import { activityRoutes } from './company/activity/page.ts';
import { metricRoutes } from './company/data/metric.ts';
import { dataRoutes } from './company/data/page.ts';
import { uploadRoutes } from './company/data/upload.ts';
import { decideRoutes } from './company/decide.ts';
import { grantsRoutes } from './company/grants.ts';
import { inboxRoutes } from './company/inbox.ts';
import { requestRoutes } from './company/request.ts';
import type { DeskOptions } from './context.ts';
import { createErrorPages } from './error-pages.ts';
import { parseFileForms } from './form.ts';
import { investorRoutes } from './investor/index.ts';
import { languageRoutes } from './pages/language.ts';
import { liveRoutes } from './pages/live.ts';
import { providerRoutes } from './pages/provider.ts';
import { sessionRoutes } from './pages/sessions.ts';
import { signInRoutes } from './pages/sign-in.ts';
import { receiptsRoutes } from './receipts.ts';
import { requestsRoutes } from './requests.ts';
import { createPagePaths, type Route } from './route.ts';
import { setSecurityHeaders } from './security.ts';
import { serveRoute } from './serve-route.ts';
import { approvalRoutes } from './settings/approvals.ts';
import { keyRoutes } from './settings/keys/page.ts';
import { logRoutes } from './settings/log.ts';
import { peopleRoutes } from './settings/people.ts';
import { endpointRoutes } from './settings/webhook-endpoint.ts';
import { webhookRoutes } from './settings/webhooks.ts';

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
  ...dataRoutes,
  ...metricRoutes,
  ...uploadRoutes,
  ...receiptsRoutes,
  ...liveRoutes,
  ...peopleRoutes,
  ...approvalRoutes,
  ...logRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...endpointRoutes,
  ...sessionRoutes,
  ...investorRoutes,
];

const toPagePath = createPagePaths(routes);

/** The desk. Register it with the prefix `/desk`, because sessions are accepted only there. */
export const desk: FastifyPluginAsync<DeskOptions> = async (app, options) => {
  app.removeAllContentTypeParsers();
  await app.register(formbody);
  parseFileForms(app);
  setSecurityHeaders(app);
  const served = { ...options, toPagePath };
  app.setErrorHandler(createErrorPages(served));
  await app.register(serveAssets, { prefix: '/assets' });
  const methods = Map.groupBy(routes, ({ path }) => path);
  for (const [path, ofPath] of methods) {
    const ofMethods = Map.groupBy(ofPath, ({ method }) => method);
    for (const [first, ...others] of ofMethods.values()) {
      if (first !== undefined) serveRoute(app, [first, ...others], served);
    }
    const allowed = [...ofMethods.keys()].flatMap((method) =>
      method === 'GET' ? ['GET' as const, 'HEAD' as const] : [method],
    );
    refuseOtherMethods(app, path, allowed);
  }
  refuseOtherPaths(app, { isPublic: true });
};
