import { hasPermission, loadData, type Metric } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import {
  accountTable,
  confidenceName,
  dataSection,
  sourceOf,
  sourceTable,
  verifiedBadge,
} from '../../components/data-tables.ts';
import { numbers, table } from '../../components/table.ts';
import { formatPeriod, formatRelative } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { bdi, type Html, html, nothing, success } from '../../html.ts';
import { inLanguage } from '../../metric-words.ts';
import { forContacts } from '../../route.ts';
import { dataPath, metricPath } from './paths.ts';

function metricTable(metrics: readonly Metric[], { language, now }: ContactContext): Html | null {
  const { data: words } = language.m;
  if (metrics.length === 0) return null;
  const columns = [
    words.metric,
    numbers(words.value),
    words.period,
    words.verified,
    words.confidence,
    words.source,
    words.synced,
  ];
  const shown = metrics.map((metric) => inLanguage(metric, language));
  const rows = shown.map(({ key, label, value, period, verification, confidence, source }) => [
    html`<a href="${metricPath(key)}"><bdi>${label}</bdi></a>`,
    bdi(value),
    formatPeriod(period),
    verifiedBadge(verification, language.m),
    confidenceName(confidence, language.m),
    sourceOf(source, language.m),
    formatRelative(source.lastSynced, now, language),
  ]);
  return table({ label: words.table(words.metrics), columns, rows });
}

/** The address contains the counts, for example `done=12-3-0`. */
function describeUpload({ query, language: { m, format } }: ContactContext): Html | string {
  const counts = /^(\d{1,6})-(\d{1,6})-(\d{1,6})(?:-(\d{1,6}))?$/.exec(query.done ?? '');
  if (counts === null) return nothing;
  const [created = '', revised = '', unchanged = '', leftOut = ''] = counts
    .slice(1)
    .map((count = '0') => format.number(Number(count)));
  const { upload: words } = m.data;
  const leftOutText = counts[4] === undefined ? '' : ` ${words.leftOut(leftOut)}`;
  return success(`${words.done(created, revised, unchanged)}${leftOutText}`);
}

/** Shows the same data that an investor with a grant sees. */
export const dataRoutes = [
  forContacts.get('/data', async (context) => {
    const { caller, useCases, language } = context;
    const { data: words } = language.m;
    const [metrics, sources, accounts] = await Promise.all([
      useCases.company.readOwnMetrics(caller, {}).then(loadData),
      useCases.company.readOwnSources(caller, {}).then(loadData),
      useCases.company.readOwnAccounts(caller, {}).then(loadData),
    ]);
    const mayUpload = hasPermission(caller, 'enter_data');
    const upload = buttonLink(`${dataPath}/upload`, words.upload.link, 'primary');
    return {
      title: language.m.nav.data,
      section: 'data',
      isStill: context.query.done !== undefined,
      main: html`${describeUpload(context)}<div class="bar"><p class="lead">${words.lead}</p>
${mayUpload && metrics.length > 0 ? upload : nothing}</div>
${dataSection(
  'metrics',
  words.metrics,
  {
    title: words.noMetrics,
    text: words.noMetricsHint,
    action: mayUpload ? upload : nothing,
  },
  metricTable(metrics, context),
)}
<div class="pair tables">${dataSection('sources', words.sources, { title: words.noSources, text: words.noSourcesHint }, sourceTable(sources, context))}
${dataSection('accounts', words.accounts, { title: words.noAccounts, text: words.noSourcesHint }, accountTable(accounts, context))}</div>`,
    };
  }),
];
