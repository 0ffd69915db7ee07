import { AccessError, labelOf } from '#core';
import { confidenceName, newestOf, revisionTable, sourceOf } from '../../components/data-tables.ts';
import { formatRelative } from '../../components/time.ts';
import { fact, html } from '../../html.ts';
import { historyFigure } from '../../plot/history.ts';
import { forContacts } from '../../route.ts';
import { dataPath } from './paths.ts';

export const metricRoutes = [
  forContacts.get('/data/metrics/:id', async (context) => {
    const { caller, useCases, id, language, now } = context;
    const { data: words } = language.m;
    const revisions = await useCases.company.readOwnMetricRevisions(caller, { key: id });
    const history = newestOf(revisions);
    const newest = history.at(-1);
    if (newest === undefined) throw new AccessError('metric_not_found');
    const { source, verification, confidence, category } = newest;
    return {
      title: newest.label,
      section: 'data',
      parent: { path: dataPath, title: words.title },
      main: html`<dl class="facts">${fact(words.key, html`<code>${id}</code>`)}
${fact(words.source, sourceOf(source, language.m))}
${fact(words.synced, formatRelative(source.lastSynced, now, language))}
${fact(words.verified, verification.verified ? words.yes : words.no)}
${fact(words.confidence, confidenceName(confidence, language.m))}
${fact(words.category, html`<bdi>${labelOf(category)}</bdi>`)}</dl>
<div class="pair tables"><section aria-labelledby="history-of"><h2 id="history-of">${words.history}</h2>
<div class="tall">${historyFigure('history', history, language)}</div></section>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context)}</section></div>`,
    };
  }),
];
