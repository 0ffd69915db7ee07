import type { ServerResponse } from 'node:http';
import { parse } from 'csv-parse/sync';
import { expect, it, onTestFinished } from 'vitest';
import type { CompanyUseCases, ReceivedRecord } from '#core';
import { recordCsv } from '../../desk/components/csv.ts';
import { startService } from '../support/service.ts';
import { deskCookie, signIn } from './desk.ts';

const record: ReceivedRecord = {
  id: 'rec_1',
  occurredAt: new Date('2026-11-01T08:00:00Z'),
  requestId: 'req_1',
  protocol: 'rest',
  keyId: 'key_1',
  contactId: null,
  investorId: 'inv_1',
  companyId: 'co_1',
  scope: 'metrics:read',
  resource: 'metric',
  metricKey: 'headcount',
  grantId: null,
  outcome: 'access_required',
  count: 3,
  investorName: '=1+1, "Capital"\nPartners',
  keyHint: 'svc_sk_live_…abcd',
  contactEmail: null,
};

const pieceOf = (length: number) => Array.from({ length }, () => record);

async function* piecesOf(...lengths: readonly number[]) {
  for (const length of lengths) yield pieceOf(length);
}

const rowsOf = (text: string) =>
  parse(text, { bom: true, columns: true }) as Record<string, string>[];

async function reader(walkReceivedRecords: CompanyUseCases['walkReceivedRecords']) {
  const service = await startService({
    storage: { memory: true },
    isReachedDirectly: true,
    interposeCompanies: (useCases) => ({ ...useCases, walkReceivedRecords }),
  });
  onTestFinished(() => service.close());
  const company = await service.fixtures.company();
  return { service, contact: await signIn(service, company.id) };
}

it('a record is a line that programs and spreadsheets read unchanged', async () => {
  const lines = await Array.fromAsync(recordCsv('investor', pieceOf(1), piecesOf(), 10));
  expect(rowsOf(lines.join(''))).toEqual([
    {
      id: 'rec_1',
      occurred_at: '2026-11-01T08:00:00.000Z',
      request_id: 'req_1',
      protocol: 'rest',
      investor_id: 'inv_1',
      investor_name: `'${record.investorName}`,
      key_hint: 'svc_sk_live_…abcd',
      contact_id: '',
      contact_email: '',
      scope: 'metrics:read',
      resource: 'metric',
      metric_key: 'headcount',
      grant_id: '',
      outcome: 'access_required',
      count: '3',
    },
  ]);
});

it('a download stops at the maximum number of rows, and continues after an empty piece', async () => {
  const lines = await Array.fromAsync(recordCsv('investor', pieceOf(2), piecesOf(0, 3, 3, 3), 6));
  expect(rowsOf(lines.join(''))).toHaveLength(6);
});

it('a download reads only as fast as its client, and stops when the client leaves', async () => {
  let pieces = 0;
  const { service, contact } = await reader(async function* () {
    for (;;) {
      pieces += 1;
      yield pieceOf(200);
    }
  });
  const answers: ServerResponse[] = [];
  service.app.server.on('request', (_request, response) => answers.push(response));
  const leaving = new AbortController();
  const headers = { cookie: `${deskCookie}=${contact.session}` };
  const download = await fetch(`${service.url}/desk/activity.csv`, {
    headers,
    signal: leaving.signal,
  });
  expect(download.status).toBe(200);
  const [answer] = answers;
  await expect.poll(() => answer?.writableNeedDrain).toBe(true);
  // The operating system buffers some pieces. Then the download must wait, even if the service does other work.
  let before: number;
  do {
    before = pieces;
    for (let count = 0; count < 50; count += 1) await contact.get('/desk/requests');
  } while (pieces > before);
  leaving.abort();
  await expect.poll(() => answer?.destroyed).toBe(true);
  // The complete download would have five thousand pieces.
  expect(pieces).toBeLessThan(1_000);
});

it('a failed download is cut off, so the client can see that the file is incomplete', async () => {
  const { contact } = await reader(async function* () {
    yield* piecesOf(200, 200);
    throw new Error('the database is gone');
  });
  await expect(contact.get('/desk/activity.csv')).rejects.toThrow();
});

it('a HEAD request for a download reads no records', async () => {
  let pieces = 0;
  const { service, contact } = await reader(async function* () {
    for (;;) {
      pieces += 1;
      yield pieceOf(200);
    }
  });
  const { status } = await fetch(`${service.url}/desk/activity.csv`, {
    method: 'HEAD',
    headers: { cookie: `${deskCookie}=${contact.session}` },
  });
  expect(status).toBe(200);
  expect(pieces).toBe(0);
});
