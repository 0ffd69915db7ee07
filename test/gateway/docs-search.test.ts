import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { expect, it } from 'vitest';
import { siteFolder } from '../../.ci/build-site.ts';
import { fields, searchOptions } from '../../docs/.vitepress/search.ts';

/** Queries, each with the pages that may come first. */
const wanted: Readonly<Record<string, string>> = {
  pagination: 'pages-and-filters',
  authentication: 'keys',
  'quick start': 'quick-start',
  'getting started': 'quick-start',
  'test key': 'sandbox',
  'base url': 'quick-start',
  webhook: 'webhooks',
  'webhook signature': 'webhooks',
  'rate limit': 'rate-limits',
  '429': 'rate-limits errors-and-retries',
  'error codes': 'errors errors-and-retries',
  access_required: 'errors',
  'retry after': 'errors-and-retries rate-limits',
  'idempotency key': 'idempotency',
  'rotate api key': 'keys',
  oauth: 'keys',
  scopes: 'consent requesting-access',
  'request access': 'requesting-access',
  'pause access': 'limit-access',
  'two approvals': 'limit-access',
  'one-off access': 'limit-access',
  'two-person approval': 'limit-access',
  'limits of history': 'limit-access',
  revoke: 'desk company consent',
  revocation: 'consent desk company',
  history: 'reading-metrics',
  'history of a metric': 'reading-metrics',
  csv: 'import reading-metrics uploads',
  'excel upload': 'uploads',
  'push data': 'data',
  'real time updates': 'live-updates',
  sse: 'live-updates',
  apollo: 'caches',
  'verify signature': 'verification',
  'ai agent': 'mcp',
  sdk: 'trpc',
  python: 'reading-metrics',
  sso: 'desk',
  scim: 'desk',
  docker: 'deployment',
  'environment variables': 'configuration',
  prometheus: 'operations',
  restore: 'backup',
  gdpr: 'operating',
  'penetration test': 'security',
};

it('the first search result is an expected page for at least nine of ten queries', async () => {
  const [file = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: siteFolder });
  const { default: json } = await import(pathToFileURL(resolve(siteFolder, file)).href);
  const index = MiniSearch.loadJSON(json, {
    fields,
    storeFields: ['title', 'titles'],
    searchOptions,
  });
  const missed = Object.entries(wanted).flatMap(([query, pages]) => {
    const [first] = index.search(query);
    const page = String(first?.id).replace(/^\/docs\/|#.*/g, '');
    return pages.split(' ').includes(page) ? [] : [`${query}: ${page}, not ${pages}`];
  });
  const most = Math.floor(Object.keys(wanted).length / 10);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(most);
});
