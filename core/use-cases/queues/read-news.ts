import { type Coverage, coverageOf } from '../../model/consent/access-policy.ts';
import { asOf } from '../../model/consent/access-request.ts';
import { grantableScopes } from '../../model/consent/scopes.ts';
import { companyOf, isRequestEvent } from '../../model/events/access-event.ts';
import { narrowDataEvent } from '../../model/events/data-event.ts';
import type { NewsMail } from '../../model/events/mail.ts';
import {
  type CompanyNews,
  choicesOf,
  eventTypesOf,
  NewsGathering,
  newsKinds,
} from '../../model/events/news.ts';
import type { Ports } from '../../ports/index.ts';

/** The number of events that are read at once. It is small, because one event may name all metrics of a company. */
const eventsAtOnce = 200;

/** The maximum number of events in a mail. Even a portfolio of 2,000 companies has fewer events in a day. */
const maxEvents = 100_000;

/** Reads the news that the recipient may see now and wants at the frequency of this mail. */
export const readNews =
  (ports: Ports) =>
  async (mail: NewsMail, now: Date): Promise<readonly CompanyNews[]> => {
    const { accessEvents, accessRequests, contacts } = ports;
    const reader = await contacts.findMailReader(mail.contactId);
    if (reader === null || !('investorId' in mail.owner)) return [];
    const { investorId } = mail.owner;
    const pace = mail.kind === 'digest' ? 'daily' : 'at_once';
    const choices = choicesOf(reader.role, reader.choices);
    const wanted = new Set(newsKinds.filter((kind) => choices[kind] === pace));
    const types = eventTypesOf(wanted);
    if (types.length === 0) return [];
    const news = new NewsGathering(wanted);
    const coverageAt = coverageOfCompanies(ports, investorId, now);
    let after = mail.afterPosition;
    for (let count = 0; count < maxEvents; count += eventsAtOnce) {
      const events = await accessEvents.read({
        reader: { investorId },
        after,
        until: mail.untilPosition,
        companyId: mail.aboutCompanyId,
        since: null,
        limit: eventsAtOnce,
        types,
        data: { scopes: grantableScopes, now },
      });
      for (const event of events) {
        after = event.position;
        const visibleEvent = isRequestEvent(event)
          ? event
          : narrowDataEvent(event, await coverageAt(companyOf(event)));
        if (visibleEvent !== null) news.add(visibleEvent);
      }
      if (events.length < eventsAtOnce) break;
    }
    const ending = await Promise.all(news.endingRequestIds().map((id) => accessRequests.find(id)));
    return news.list(ending.flatMap((request) => (request === null ? [] : asOf(request, now))));
  };

function coverageOfCompanies({ directory }: Ports, investorId: string, now: Date) {
  const coverages = new Map<string, Promise<Coverage>>();
  return (companyId: string) =>
    coverages.getOrInsertComputed(companyId, async () => {
      const entry = await directory.findInPortfolio(investorId, companyId);
      const facts = { isInPortfolio: entry !== null, newestRequest: entry?.newestRequest ?? null };
      return coverageOf(facts, now);
    });
}
