import { isOfInvestor, type OwnRequest, type OwnRequestDetails } from '#core';
import type { DescribeActor } from '../../components/request-facts.ts';
import type { Messages } from '../../messages/index.ts';

export const companyName = ({ company }: Pick<OwnRequest, 'company'>, m: Messages): string =>
  company?.name ?? m.ownRequests.requests.left;

/** The investor's own people appear with their email address. People of the company appear only with its name. */
export const describeActorForInvestor =
  ({ company, people }: OwnRequestDetails, m: Messages): DescribeActor =>
  ({ type, actor }) => {
    const words = m.ownRequests.actors;
    if (actor.type === 'investor') return words.key;
    if (actor.type === 'contact' && isOfInvestor(type)) {
      const email = people.get(actor.id ?? '');
      return email === undefined ? words.formerPerson : words.person(email);
    }
    if (actor.type === 'contact' || actor.type === 'company_key')
      return company === null ? words.unnamedCompany : words.company(company.name);
    return m.actors[actor.type];
  };
