import { receiptsPage, sendReceipts } from '../components/receipts.ts';
import { forContacts } from '../route.ts';
import { sectionOf, tellActorOf } from './request.ts';

export const receiptsRoutes = [
  forContacts.get('/requests/:id/receipts', async (context) => {
    const { caller, useCases, language, id } = context;
    const { receipts: words, request, statuses } = language.m;
    const [details, chain] = await Promise.all([
      useCases.company.readReceivedRequestWithActors(caller, { id }),
      useCases.company.readReceivedChain(caller, { id }),
    ]);
    const { accessRequest, investor } = details;
    const told = {
      title: words.title(investor.name),
      requestTitle: request.title(investor.name),
      section: sectionOf(accessRequest),
      lead: words.lead,
      tellActor: tellActorOf(details, language.m),
      ...{ accessRequest, chain, statuses },
    };
    return receiptsPage(told, context);
  }),
  forContacts.get('/requests/:id/receipts.json', async (context) => {
    const { caller, useCases, id } = context;
    const chain = await useCases.company.readReceivedChain(caller, { id });
    return sendReceipts(context, chain, '/company/v1');
  }),
];
