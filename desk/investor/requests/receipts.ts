import type { FastifyReply } from 'fastify';
import { receiptScripts, receiptsContent, sendReceipts } from '../../components/receipts.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { forInvestors } from '../../route.ts';
import { companyName, tellOwnActor } from './words.ts';

async function receiptsPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const { m } = language;
  const [details, chain] = await Promise.all([
    useCases.investor.readOwnRequest(caller, { id }),
    useCases.investor.readOwnChain(caller, { id }),
  ]);
  const { statuses } = m.investorAdmin.requests;
  const lead = m.investorAdmin.request.receiptsLead;
  const telling = { tellActor: tellOwnActor(details, m), statuses, lead };
  return {
    title: m.investorAdmin.request.receiptsTitle(companyName(details, m)),
    section: 'requests',
    scripts: receiptScripts,
    parent: {
      path: `/desk/requests/${details.accessRequest.id}`,
      title: m.investorAdmin.request.title(companyName(details, m)),
    },
    main: await receiptsContent(details.accessRequest, chain, telling, context),
  };
}

async function receiptsFile(context: InvestorContext): Promise<FastifyReply> {
  const { caller, useCases, id } = context;
  return sendReceipts(context, await useCases.investor.readOwnChain(caller, { id }), '/v1');
}

export const ownReceiptsRoutes = [
  forInvestors.get('/requests/:id/receipts', receiptsPage),
  forInvestors.get('/requests/:id/receipts.json', receiptsFile),
];
