import type { ApiKey, Page as ListPage, OwnRecord } from '#core';
import { maxRecords, sendRecordCsv } from '../../components/csv.ts';
import { emptyState } from '../../components/lists.ts';
import { protocolNames } from '../../components/records.ts';
import { table } from '../../components/table.ts';
import { formatExactly } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { metricNameOf } from '../../metric-words.ts';
import { readsFooter } from '../../reads.ts';
import { forInvestors } from '../../route.ts';
import { companyPath } from '../paths.ts';
import { type Filters, filterForm, type Readers, readFilters } from './filters.ts';

/** A longer filter would be hard to use. Each company's page links to its reads. */
const companiesShown = 200;

const nameOfKey = ({ name, hint }: Pick<ApiKey, 'name' | 'hint'>): string =>
  name === null ? hint : `${name} (${hint})`;

async function findReaders({ caller, useCases, query }: InvestorContext): Promise<Readers> {
  const { investor } = useCases;
  const [portfolio, contacts, keys] = await Promise.all([
    investor.pagePortfolio(caller, { first: companiesShown }),
    investor.listOwnContacts(caller),
    investor.listOwnKeys(caller),
  ]);
  const companies = portfolio.edges.map(({ company: { id, name } }) => [id, name] as const);
  const chosen = query.company;
  const isListed = !chosen || companies.some(([id]) => id === chosen);
  return {
    companies: isListed ? companies : [...companies, [chosen, chosen] as const],
    people: contacts.map(({ id, email }) => [id, email] as const),
    keys: keys.map((key) => [key.id, nameOfKey(key)] as const),
  };
}

function row(own: OwnRecord, keys: ReadonlyMap<string, string>, context: InvestorContext) {
  const { m, format } = context.language;
  const words = m.ownReads;
  const { record, company, keyHint, contactEmail } = own;
  // Shows the metric's default name. Loading the company's own name for the metric would count as a read.
  const { outcome, count, keyId, protocol, requestId, metricKey } = record;
  const isRead = outcome === 'allowed';
  const reason = outcome === 'allowed' || outcome === 'invalid_api_key' ? null : outcome;
  const who =
    keyId === null ? (contactEmail ?? words.removedPerson) : (keys.get(keyId) ?? keyHint ?? keyId);
  return [
    html`${formatExactly(record.occurredAt, context.language)}<br><span class="hint">${protocolNames(m.ownReads.desk)[protocol]}</span>`,
    company === null
      ? html`<span class="hint">${words.noCompany}</span>`
      : html`<a href="${companyPath(company.id)}"><bdi>${company.name}</bdi></a>`,
    html`<span class="long">${words.resources[record.resource](metricKey === null ? null : metricNameOf(metricKey, context.language))}</span>`,
    html`<bdi>${who}</bdi><br><span class="hint"><code class="id" dir="ltr">${requestId}</code></span>`,
    html`<span class="badge ${isRead ? 'good' : 'bad'}">${isRead ? words.outcomes.allowed : m.activity.refused}</span>${count > 1 ? html` ${words.times(format.number(count))}` : nothing}${reason === null ? nothing : html`<br><span class="hint">${words.reasons[reason]}</span>`}`,
  ];
}

function list(
  { items, nextCursor }: ListPage<OwnRecord>,
  { keys }: Readers,
  filters: Filters,
  context: InvestorContext,
): Html {
  const { m, format } = context.language;
  const words = m.ownReads;
  const names = new Map(keys);
  const empty = filters.isNarrowed
    ? emptyState({ title: words.noneTitle, text: nextCursor ? m.activity.notYetFound : words.none })
    : emptyState({ title: words.emptyTitle, text: words.empty });
  return html`<section><div class="bar"><h2>${words.tableTitle}</h2>
<p><a href="${filters.addressOf('/desk/activity.csv')}" download>${m.activity.download}</a> <span class="hint">${m.activity.downloadHint(format.number(maxRecords))}</span></p></div>
${
  items.length === 0
    ? empty
    : table({
        label: words.tableTitle,
        columns: [m.when, m.company, m.what, words.who, words.outcome],
        rows: items.map((each) => row(each, names, context)),
        isBlocks: true,
      })
}
${readsFooter(items.length, nextCursor, filters, context)}</section>`;
}

async function readsPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, query } = context;
  const { m } = language;
  const filters = readFilters(context);
  const { isInvalid, isNarrowed } = filters;
  const [readers, records] = await Promise.all([
    findReaders(context),
    isInvalid
      ? null
      : useCases.investor.listOwnRecords(caller, { ...filters.criteria, cursor: query.cursor }),
  ]);
  const words = m.ownReads;
  const isNothing =
    records?.items.length === 0 &&
    records.nextCursor === null &&
    query.cursor === undefined &&
    !isNarrowed;
  return {
    title: m.nav.reads,
    section: 'reads',
    status: isInvalid ? 422 : 200,
    ...(!isInvalid && { live: { look: 'reads' } }),
    main: html`<p class="lead">${words.lead}</p>
${
  // Before the first read, the page needs no filters.
  isNothing
    ? emptyState({ title: words.emptyTitle, text: words.empty })
    : html`${filterForm(filters, readers, context)}
${records === null ? nothing : list(records, readers, filters, context)}`
}`,
  };
}

async function* walkRecords({ useCases, caller }: InvestorContext, criteria: Filters['criteria']) {
  for await (const items of useCases.investor.walkOwnRecords(caller, criteria))
    yield items.map(({ record, company, ...reader }) => ({
      ...record,
      ...reader,
      companyId: company?.id ?? null,
      companyName: company?.name ?? null,
    }));
}

export const ownRecordsRoutes = [
  forInvestors.get('/activity', readsPage),
  forInvestors.get('/activity.csv', (context) =>
    sendRecordCsv(context, readFilters(context), 'company', (criteria) =>
      walkRecords(context, criteria),
    ),
  ),
];
