import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import type { TestService } from '../../support/service.ts';
import { describeDesk, type Seen, signInInvestor } from '../desk.ts';

const rows = ({ text }: Seen) => text.match(/<th scope="row"/g)?.length ?? 0;

/** An investor with two API keys. The first key has read once. Then both were refused once. */
async function reader(service: TestService) {
  const { fixtures, get } = service;
  const made = await fixtures.readablePortfolio();
  const second = await fixtures.key(made.investor, { scopes: ['companies:read'] });
  const read = await get(`/v1/companies/${made.company.id}/metrics`, made.key);
  await get('/v1/companies/co_none/sources', made.key);
  await get(`/v1/companies/${made.company.id}/metrics`, second.key);
  const visitor = await signInInvestor(service, made.investor.id);
  const page = async (query: string) => visitor.get(`/desk/activity?${query}`);
  await expect.poll(async () => rows(await page(''))).toBe(3);
  return { ...made, second, visitor, page, requestId: String(read.headers['svc-request-id']) };
}

describeDesk('the reads of an investor', (given) => {
  it('can be filtered by company, key, protocol, outcome and request', async () => {
    const { page, company, keyId, second, requestId } = await reader(given());
    const found = async (query: string) => rows(await page(query));
    expect(await found(`company=${company.id}`)).toBe(2);
    expect(await found(`who=${keyId}`)).toBe(2);
    expect(await found(`who=${second.keyId}`)).toBe(1);
    expect(await found('protocol=rest')).toBe(3);
    expect(await found('protocol=graphql')).toBe(0);
    expect(await found('outcome=allowed')).toBe(1);
    expect(await found('outcome=refused')).toBe(2);
    expect(await found('outcome=insufficient_scope')).toBe(1);
    expect(await found(`request=${requestId}`)).toBe(1);
    expect(await found('request=req_00000000000000000000000000000000')).toBe(0);
  });

  it('can be downloaded as CSV with the same filters', async () => {
    const { visitor, keyId, company } = await reader(given());
    const { text } = await visitor.get(`/desk/activity.csv?who=${keyId}&outcome=allowed`);
    const [line, ...others] = parse(text, { columns: true }) as Record<string, string>[];
    expect(others).toEqual([]);
    expect(line).toMatchObject({ company_id: company.id, outcome: 'allowed', protocol: 'rest' });
  });

  it('hide the names of companies outside the portfolio', async () => {
    const { page } = await reader(given());
    const { text } = await page('outcome=company_not_found');
    expect(text).toContain('Not in your portfolio');
    expect(text).not.toContain('co_none');
  });

  it('are counted on the usage page, by key and by reason', async () => {
    const { visitor } = await reader(given());
    const { text } = await visitor.get('/desk/settings/usage');
    expect(text).toContain('insufficient_scope');
    expect(text).toContain('company_not_found');
    expect(text).toMatch(/points are left. All points are back in (?:1 second|\d+ seconds)\./);
  });
});
