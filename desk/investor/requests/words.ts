import { isOfInvestor, type OwnRequest, type OwnRequestDetails } from '#core';
import type { TellActor } from '../../components/telling.ts';
import type { Html } from '../../html.ts';
import { html } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';

/** The name of the company, or that it is one no more. */
export const companyName = ({ company }: Pick<OwnRequest, 'company'>, m: Messages): string =>
  company?.name ?? m.investorAdmin.requests.left;

export const companyLabel = (request: Pick<OwnRequest, 'company'>, m: Messages): Html =>
  html`<bdi>${companyName(request, m)}</bdi>`;

/** Who made a change: the investor's own people by their addresses, those of the company as the company. */
export const tellOwnActor =
  ({ company, people }: OwnRequestDetails, m: Messages): TellActor =>
  ({ type, actor }) => {
    const words = m.investorAdmin.actors;
    if (actor.type === 'investor') return words.key;
    if (actor.type === 'contact' && isOfInvestor(type)) {
      const email = people.get(actor.id ?? '');
      return email === undefined ? words.formerPerson : words.person(email);
    }
    if (actor.type === 'contact' || actor.type === 'company_key')
      return company === null ? words.unnamedCompany : words.company(company.name);
    return m.actors[actor.type];
  };
