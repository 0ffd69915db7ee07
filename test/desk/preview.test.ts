import { expect, it } from 'vitest';
import { importLines } from '../support/fixtures.ts';
import { companyWithRequest, decode, describeDesk } from './desk.ts';

describeDesk('the preview of an investor’s view', (given) => {
  it('describes how fresh each source is, in English and German', async () => {
    const service = given();
    const { company, contact, requestId } = await companyWithRequest(service, ['sources:read']);
    const source = (provider: string, status: string, expected_every?: string) => ({
      type: 'source',
      company_id: company.id,
      provider,
      status,
      account_name: 'Main',
      last_synced_at: '2026-01-01T00:00:00Z',
      expected_every,
    });
    await importLines(service.operator, [
      source('Overdue', 'connected', 'P1D'),
      source('Broken', 'failed', 'P1D'),
      source('Named', 'constructor'),
      source('Signed out', 'reauthorization_required'),
    ]);
    const statuses = async (language: string) => {
      const path = `/desk/requests/${requestId}`;
      const { text } = await contact.get(path, { 'accept-language': language });
      return Object.fromEntries(
        [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].flatMap(([, row = '']) => {
          const [provider, , status] = [...row.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(
            ([, cell = '']) => decode(cell),
          );
          return provider === undefined ? [] : [[provider, status]];
        }),
      );
    };
    expect(await statuses('en')).toEqual({
      Overdue: 'Stale',
      Broken: 'Failed',
      Named: 'constructor',
      'Signed out': 'Sign-in needed',
      gusto: 'error',
      mercury: 'Connected',
    });
    expect(await statuses('de')).toMatchObject({
      Overdue: 'Veraltet',
      Broken: 'Ausgefallen',
      mercury: 'Verbunden',
    });
  });
});
