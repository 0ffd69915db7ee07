import type { FastifyReply } from 'fastify';
import { receiptScripts, receiptsContent, sendReceipts } from '../components/receipts.ts';
import type { ContactContext, Page } from '../context.ts';
import { forContacts } from '../route.ts';
import { sectionOf, tellActorOf } from './request.ts';

async function receiptsPage(context: ContactContext): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const [details, chain] = await Promise.all([
    useCases.company.readReceivedRequestWithActors(caller, { id }),
    useCases.company.readReceivedChain(caller, { id }),
  ]);
  const { accessRequest, investor } = details;
  return {
    title: language.m.receipts.title(investor.name),
    section: sectionOf(accessRequest),
    parent: {
      path: `/desk/requests/${accessRequest.id}`,
      title: language.m.request.title(investor.name),
    },
    scripts: receiptScripts,
    main: await receiptsContent(
      accessRequest,
      chain,
      {
        tellActor: tellActorOf(details, language.m),
        statuses: language.m.statuses,
        lead: language.m.receipts.lead,
      },
      context,
    ),
  };
}

async function receiptsFile(context: ContactContext): Promise<FastifyReply> {
  const { caller, useCases, id } = context;
  const chain = await useCases.company.readReceivedChain(caller, { id });
  return sendReceipts(context, chain, '/company/v1');
}

export const receiptsRoutes = [
  forContacts.get('/requests/:id/receipts', receiptsPage),
  forContacts.get('/requests/:id/receipts.json', receiptsFile),
];
