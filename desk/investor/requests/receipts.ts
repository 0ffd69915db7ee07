import { receiptsPage, sendReceipts } from '../../components/receipts.ts';
import { forInvestors } from '../../route.ts';
import { companyName, tellOwnActor } from './words.ts';

export const ownReceiptsRoutes = [
  forInvestors.get('/requests/:id/receipts', async (context) => {
    const { caller, useCases, language, id } = context;
    const { request: words, requests } = language.m.investorAdmin;
    const [details, chain] = await Promise.all([
      useCases.investor.readOwnRequest(caller, { id }),
      useCases.investor.readOwnChain(caller, { id }),
    ]);
    const name = companyName(details, language.m);
    const told = {
      title: words.receiptsTitle(name),
      requestTitle: words.title(name),
      section: 'requests' as const,
      lead: words.receiptsLead,
      tellActor: tellOwnActor(details, language.m),
      statuses: requests.statuses,
      ...{ accessRequest: details.accessRequest, chain },
    };
    return receiptsPage(told, context);
  }),
  forInvestors.get('/requests/:id/receipts.json', async (context) => {
    const { caller, useCases, id } = context;
    return sendReceipts(context, await useCases.investor.readOwnChain(caller, { id }), '/v1');
  }),
];
