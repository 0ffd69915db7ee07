import { Readable } from 'node:stream';
import type { ContactContext } from '../../context.ts';
import type { Route } from '../../route.ts';
import { readFilters, withFilters } from './filters.ts';
import { recordCsv } from './record-csv.ts';

export const maxRows = 1_000_000;

async function download(context: ContactContext) {
  const { caller, useCases, request, reply } = context;
  const { invalid, ...filters } = readFilters(context);
  // The page says what is wrong, beside the field.
  if (Object.keys(invalid).length > 0) return { to: withFilters('/desk/activity', context) };
  reply
    .header('content-disposition', 'attachment; filename="access-records.csv"')
    .type('text/csv; charset=utf-8; header=present');
  if (request.method === 'HEAD') return reply.send('');
  // What fails before the first row is a page that says so.
  const pieces = useCases.company.walkReceivedRecords(caller, filters);
  const first = await pieces.next();
  return reply.send(Readable.from(recordCsv(first.value ?? [], pieces, maxRows)));
}

/** The same records as the page shows, all of them. */
export const activityCsvRoutes: Route[] = [
  { method: 'GET', path: '/activity.csv', access: 'contact', handle: download },
];
