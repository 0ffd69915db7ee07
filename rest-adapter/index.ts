import type { FastifyPluginAsync } from 'fastify';
import type { CompanyUseCases, InvestorUseCases } from '#core';
import type { ApiOptions } from './api.ts';
import { createCompanyApi } from './company/index.ts';
import { createInvestorApi } from './investor/index.ts';
import { serveApi } from './serve-api.ts';

export { presentActor, presentReceivedRequest, presentVersionedRequest } from './access-request.ts';
export { presentRequestDetails } from './company/access-requests.ts';
export { presentSettingsChange } from './company/settings-changes.ts';
export { presentDataEvent, presentEvent, presentReceivedEvent, writeWebhook } from './event.ts';
export { presentRevision } from './metric.ts';
export { presentReceipt } from './receipt.ts';
export { presentAmount } from './schemas.ts';
export {
  presentWebhookDelivery,
  presentWebhookEndpoint,
  presentWebhookTest,
} from './webhook-resources.ts';

interface PublicUrl {
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** The REST API for investors. Register it with the prefix `/v1`. */
export const restAdapter: FastifyPluginAsync<ApiOptions<InvestorUseCases> & PublicUrl> = async (
  app,
  options,
) => serveApi(app, createInvestorApi(options), options.publicUrl);

/** The REST API for companies, used with company keys. Register it with the prefix `/company/v1`. */
export const companyRestAdapter: FastifyPluginAsync<
  ApiOptions<CompanyUseCases> & PublicUrl
> = async (app, options) => serveApi(app, createCompanyApi(options), options.publicUrl);
