import { expect, it } from 'vitest';
import { verifyMetric } from '#verify';
import { csrfTokenOf } from '../../../desk/security.ts';
import { importLines } from '../../support/fixtures.ts';
import type { TestService } from '../../support/service.ts';
import {
  correction,
  decode,
  describeDesk,
  formTo,
  plain,
  rowsOf,
  signIn,
  signInInvestor,
} from '../desk.ts';
import { addShared, deskRecords, openPortfolio, openShared } from './portfolios.ts';

const path = (companyId: string, rest = '') => `/desk/portfolio/${companyId}${rest}`;

describeDesk('the page of a company in a portfolio', (given) => {
  it('shows its figures with their history and origin, its sources and its accounts', async () => {
    const { company, person } = await openShared(given());
    const { text, status, headers } = await person.get(path(company.id));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text.match(/<figure /g)).toHaveLength(2);
    expect(text).toContain('From $1,500,000, 2026-08-31 to $990,000.25, 2026-10-31.');
    const rows = rowsOf(text);
    expect(rows).toContainEqual(expect.stringMatching(/^Cash balance mercury by API .* Yes High/));
    expect(rows.filter((row) => /Connected|error/.test(row))).toHaveLength(2);
    expect(plain(text)).toMatch(/Access Shared What Metrics, Accounts, and Sources Until/);
  });

  it('causes an access record for each scope that it shows, but none for scopes without access', async () => {
    const service = given();
    const opened = await openPortfolio(service);
    const all = await addShared(service, opened, 'Alder');
    await opened.person.get(path(all.company.id));
    const resources = async (id: string) =>
      (await deskRecords(service, id)).map(({ resource, outcome }) => `${resource} ${outcome}`);
    expect((await resources(all.company.id)).toSorted()).toEqual([
      'accounts allowed',
      'metric_history allowed',
      'sources allowed',
    ]);
    const partly = await addShared(service, opened, 'Birch', ['sources:read']);
    const { text } = await opened.person.get(path(partly.company.id));
    expect(await resources(partly.company.id)).toEqual(['sources allowed']);
    expect(text).not.toContain('990,000');
    expect(plain(text)).toContain('its metrics with their history');
  });

  it('appears in the company’s list of reads, with the contact’s address', async () => {
    const service = given();
    const { company, person } = await openShared(service);
    await person.get(path(company.id));
    const contact = await signIn(service, company.id);
    const { text } = await contact.get('/desk/activity');
    expect(text).toContain(person.email);
  });

  it('contains the signed data of each figure', async () => {
    const service = given();
    const { company, person } = await openShared(service);
    const { text } = await person.get(path(company.id));
    const signed = [...text.matchAll(/<template data-signed>(.*?)<\/template>/gs)].map(
      ([, metric = '']) => JSON.parse(decode(metric)),
    );
    expect(signed).toHaveLength(2);
    const jwks = await (await fetch(`${service.url}/.well-known/jwks.json`)).json();
    for (const metric of signed) {
      expect(await verifyMetric(metric, { jwks })).toMatchObject({ valid: true, exact: true });
      const changed = { ...metric, rawValue: '1' };
      expect(await verifyMetric(changed, { jwks })).toMatchObject({ valid: false });
    }
  });

  it('isn’t found if the company is in another portfolio or doesn’t exist', async () => {
    const service = given();
    const { company } = await openShared(service);
    const other = await openPortfolio(service);
    const key = 'key=cash_balance';
    const files = [`/history.csv?${key}`, `/history.xlsx?${key}`];
    for (const rest of ['', '/metrics/cash_balance', ...files]) {
      const seen = await other.person.get(path(company.id, rest));
      expect(seen.status, rest).toBe(404);
      expect(seen.text, rest).not.toContain('Alder');
      expect(await other.person.get(path('co_nobody', rest))).toMatchObject({ status: 404 });
    }
    for (const id of [company.id, 'co_nobody']) {
      expect(await other.person.get(`/desk/events?company=${id}`)).toMatchObject({ status: 404 });
    }
    const csrf = csrfTokenOf(other.person.session);
    const fields = { csrf, for_investor: other.investor.id, scopes: 'metrics:read' };
    expect((await other.person.post(path(company.id, '/ask'), fields)).status).toBe(404);
    const records = await deskRecords(service, company.id);
    expect(records.filter(({ outcome }) => outcome === 'allowed')).toEqual([]);
  });

  it('shows no figures after the company revoked access', async () => {
    const service = given();
    const { company, requestId, person } = await openShared(service);
    expect((await person.get(path(company.id))).text).toContain('990,000');
    await service.operator.revokeAccessRequest({ id: requestId, reason: 'The round is over.' });
    const { text } = await person.get(path(company.id));
    expect(text).not.toContain('990,000');
    expect(plain(text)).toContain('The company has revoked the access');
    expect(plain(text)).toContain('The round is over.');
    expect((await person.get('/desk/portfolio')).text).not.toContain('990,000');
    for (const rest of ['/metrics/cash_balance', '/history.csv?key=cash_balance']) {
      const refused = await person.get(path(company.id, rest));
      expect(refused).toMatchObject({ status: 303, location: path(company.id) });
    }
  });

  it('has a page for each metric with its history, corrections and signatures', async () => {
    const service = given();
    const { company, person } = await openShared(service);
    await importLines(service.operator, [correction(company.id)]);
    const { text } = await person.get(path(company.id, '/metrics/cash_balance'));
    expect(rowsOf(text)).toContain('2026-08-31 $1,400,000 corrected 2');
    expect(plain(text)).toContain('Corrected (1): the value replaced another one');
    const [, newest = ''] = text.split('id="newest"');
    const rows = rowsOf(newest);
    // The row continues with the signed value.
    expect(rows[0]).toMatch(/^2026-10-31 \$990,000\.25 -20\.8% 1 /);
    expect(rows[1]).toMatch(/^2026-09-30 \$1,250,000\.50 -10\.7% 1 /);
    expect(rows[2]).toMatch(/^2026-08-31 \$1,400,000 – 2 /);
    const [, corrected = ''] = text.split('id="revisions"');
    expect(rowsOf(corrected).map((row) => row.replace(/ mercury.*/, ''))).toEqual([
      '2026-08-31 $1,400,000 2',
      '2026-08-31 $1,500,000 1',
    ]);
    expect((await person.get(path(company.id, '/metrics/none'))).status).toBe(404);
  });
});

describeDesk('asking a company of a portfolio for access', (given) => {
  async function open(service: TestService) {
    const opened = await openPortfolio(service);
    const company = await service.fixtures.companyOf(opened.investor);
    const at = path(company.id);
    return { ...opened, company, at, form: formTo(await opened.person.get(at), '/ask') };
  }

  it('offers the smallest scope first, and then shows the waiting request on the company’s page', async () => {
    const service = given();
    const { company, person, at, form } = await open(service);
    expect(form.fields.scopes).toEqual(['metrics:read']);
    const sent = await person.submit(form, { purpose: 'Quarterly report' });
    expect(sent).toMatchObject({ status: 303, location: `${at}?asked` });
    const { text } = await person.get(`${at}?asked`);
    expect(plain(text)).toContain('Waiting for the company Metrics');
    const contact = await signIn(service, company.id);
    expect((await contact.get('/desk/')).text).toContain('Quarterly report');
    await person.submit(form, { purpose: 'Quarterly report' });
    const items = await service.operator.listCompanyAccessRequests({ companyId: company.id });
    expect(items).toHaveLength(1);
  });

  it('adds scopes to the open request if the contact asks for more data', async () => {
    const service = given();
    const { company, requestId, person } = await openShared(service, ['metrics:read']);
    const form = formTo(await person.get(path(company.id)), '/ask');
    expect(form.fields.scopes).toBeUndefined();
    await person.submit(form, { scopes: ['accounts:read'] });
    const { accessRequest } = await service.operator.showAccessRequest({ id: requestId });
    expect(accessRequest.pendingScopes).toEqual(['accounts:read']);
    expect(accessRequest.approvedScopes).toEqual(['metrics:read']);
  });

  it('shows an error next to the field if no scope is chosen or the purpose is too long', async () => {
    const { person, form } = await open(given());
    const empty = await person.submit(form, { scopes: [] });
    expect(empty.status).toBe(422);
    expect(plain(empty.text)).toContain('Choose at least one.');
    const long = await person.submit(form, { purpose: 'x'.repeat(1001) });
    expect(long.status).toBe(422);
    expect(plain(long.text)).toContain('At most 1,000 characters');
  });

  it('isn’t possible for a viewer', async () => {
    const service = given();
    const { investor, at } = await open(service);
    const viewer = await signInInvestor(service, investor.id, undefined, 'viewer');
    const seen = await viewer.get(at);
    expect(seen.status).toBe(200);
    expect(seen.text).not.toContain(`${at}/ask`);
    expect(plain(seen.text)).toContain('Its members and admins can also ask for access.');
  });
});
