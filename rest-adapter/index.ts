import type { FastifyPluginAsync } from 'fastify';
import type { CompanyUseCases, InvestorUseCases } from '#core';
import type { DataCache } from '#http';
import type { Charge } from './api.ts';
import { createCompanyApi } from './company/index.ts';
import { createInvestorApi } from './investor/index.ts';
import { serveApi } from './serve-api.ts';

export { presentReceivedRequest, presentVersionedRequest } from './access-request.ts';
export { presentActor, presentRequestDetails } from './company/access-requests.ts';
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

interface Shared {
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly cache: DataCache;
  readonly charge: Charge;
}

interface RestAdapterOptions extends Shared {
  readonly useCases: InvestorUseCases;
}

interface CompanyRestAdapterOptions extends Shared {
  readonly useCases: CompanyUseCases;
}

/** REST for investors. Register it with the prefix `/v1`. */
export const restAdapter: FastifyPluginAsync<RestAdapterOptions> = async (app, options) =>
  serveApi(app, createInvestorApi(options), options.publicUrl);

/** REST for companies. Register it with the prefix `/company/v1`, where company keys are admitted. */
export const companyRestAdapter: FastifyPluginAsync<CompanyRestAdapterOptions> = async (
  app,
  options,
) => serveApi(app, createCompanyApi(options), options.publicUrl);
