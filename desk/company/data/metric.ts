import { AccessError } from '#core';
import { metricFacts, newestOf, revisionTable } from '../../components/data-tables.ts';
import { html } from '../../html.ts';
import { historyFigure } from '../../plot/history.ts';
import { forContacts } from '../../route.ts';
import { dataPath } from './paths.ts';

export const metricRoutes = [
  forContacts.get('/data/metrics/:id', async (context) => {
    const { caller, useCases, id, language } = context;
    const { data: words } = language.m;
    const revisions = await useCases.company.readOwnMetricRevisions(caller, { key: id });
    const history = newestOf(revisions);
    const newest = history.at(-1);
    if (newest === undefined) throw new AccessError('metric_not_found');
    return {
      title: newest.label,
      section: 'data',
      parent: { path: dataPath, title: words.title },
      main: html`${metricFacts(newest, context)}
<div class="pair tables"><section aria-labelledby="history-of"><h2 id="history-of">${words.history}</h2>
<div class="tall">${historyFigure('history', history, language)}</div></section>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context)}</section></div>`,
    };
  }),
];
