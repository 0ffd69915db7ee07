import { outcomeFilters, protocols } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { optionsOf, select } from '../../components/lists.ts';
import { protocolNames } from '../../components/records.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import type { Messages } from '../../messages/index.ts';
import { dateFields, filtersOf } from '../../reads.ts';

const names = ['company', 'who', 'protocol', 'outcome', 'request', 'since', 'until'];

export type Filters = ReturnType<typeof readFilters>;

export function readFilters(context: Pick<InvestorContext, 'query'>) {
  const { company, who, protocol, outcome, request } = context.query;
  return filtersOf(context, names, ({ since, until }) => ({
    companyId: company || undefined,
    // The prefix of the ID shows whether it belongs to a person or to a key.
    ...(who && (who.startsWith('ct_') ? { contactId: who } : { keyId: who })),
    protocol: protocols.find((each) => each === protocol),
    outcome: outcomeFilters.find((each) => each === outcome),
    requestId: request?.trim() || undefined,
    since: since?.toISOString(),
    until: until?.toISOString(),
  }));
}

function outcomeName(outcome: (typeof outcomeFilters)[number], m: Messages): string {
  const { outcomes, reasons } = m.ownReads;
  return outcome === 'allowed' || outcome === 'refused'
    ? outcomes[outcome]
    : `${m.activity.refused}: ${reasons[outcome]}`;
}

export interface Readers {
  readonly companies: readonly (readonly [id: string, name: string])[];
  readonly people: readonly (readonly [id: string, email: string])[];
  readonly keys: readonly (readonly [id: string, name: string])[];
}

export function filterForm(
  filters: Filters,
  { companies, people, keys }: Readers,
  context: InvestorContext,
): Html {
  const { query, language } = context;
  const { m } = language;
  const words = m.ownReads;
  const date = dateFields(context, filters);
  const names = protocolNames(words.desk);
  const field = (name: string, label: string, content: Html) =>
    html`<div><label for="${name}">${label}</label>\n${content}</div>`;
  const outcomes = outcomeFilters.map((each) => [each, outcomeName(each, m)] as const);
  const ways = protocols.map((each) => [each, names[each]] as const);
  return html`<form method="get" action="/desk/activity" class="filters" aria-label="${words.filters}" novalidate>
${field('company', m.company, select('company', m.all, companies, filters.criteria.companyId))}
${field('who', words.who, whoSelect(people, keys, context))}
${field('protocol', words.protocol, select('protocol', m.all, ways, query.protocol))}
${field('outcome', words.outcome, select('outcome', m.all, outcomes, query.outcome))}
${date('since', m.activity.since)}
${date('until', m.activity.until)}
${field('request', words.request, html`<input id="request" name="request" dir="ltr" autocomplete="off" spellcheck="false" placeholder="req_…" value="${query.request}" title="${words.requestHint}">`)}
<button>${m.show}</button>
${filters.isNarrowed ? buttonLink('/desk/activity', m.activity.clear) : nothing}</form>`;
}

function whoSelect(
  people: Readers['people'],
  keys: Readers['keys'],
  { query, language: { m } }: InvestorContext,
): Html {
  const words = m.ownReads;
  const group = (label: string, options: Readers['people']) =>
    options.length === 0
      ? nothing
      : html`<optgroup label="${label}">${optionsOf(options, query.who)}</optgroup>`;
  return html`<select id="who" name="who"><option value="">${m.all}</option>
${group(words.people, people)}${group(words.keys, keys)}</select>`;
}
