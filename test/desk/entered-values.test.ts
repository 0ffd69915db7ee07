import { expect, it } from 'vitest';
import { importLines } from '../support/fixtures.ts';
import { aValue, describeDesk, type Fields, formTo, plain, rowsOf, signIn } from './desk.ts';

describeDesk('a value entered in a form', (given) => {
  const path = '/desk/data/metrics/cash_balance';

  async function withContact() {
    const { key, company } = await given().fixtures.readablePortfolio();
    const contact = await signIn(given(), company.id);
    const enter = (fields: Fields) => contact.fill(path, '/enter', fields);
    const latest = async () =>
      (await given().get(`/v1/companies/${company.id}/metrics/cash_balance`, key)).body;
    return { contact, company, enter, latest };
  }

  it('corrects an earlier value, shows its author, time, method and reason, and is never verified', async () => {
    const { contact, company, enter, latest } = await withContact();
    const saved = await enter({
      period: '2026-10-31',
      value: '990,100.50',
      reason: 'A late invoice',
    });
    expect(saved).toMatchObject({ status: 303, location: `${path}?done=entered` });
    const { text } = await contact.get(`${path}?done=entered`);
    expect(plain(text)).toContain('The value was saved.');
    expect(plain(text)).toMatch(
      new RegExp(`Entered by ${contact.email} by hand, .* UTC A late invoice`),
    );
    const [corrected = '', former = ''] = rowsOf(text.split('id="revisions"')[1] ?? '');
    expect(corrected).toMatch(/^2026-10-31 \$990,100\.50 2 .*by hand, .* A late invoice$/);
    expect(former).toMatch(/^2026-10-31 \$990,000\.25 1 /);
    expect(rowsOf((await contact.get('/desk/settings/log')).text)[0]).toMatch(
      /How: by hand ?Corrected values: 1 ?Metrics: cash_balance ?Reason: A late invoice$/,
    );
    expect(await latest()).toMatchObject({
      raw_value: 990100.5,
      source: { system: company.name, method: 'manual' },
      verification: { verified: false, signed: true },
    });
  });

  it('needs no reason if the period has no value yet, and gets the currency of the metric', async () => {
    const { enter, latest } = await withContact();
    expect(await enter({ period: '2026-11-02', value: '980000' })).toMatchObject({ status: 303 });
    expect(await latest()).toMatchObject({
      period: '2026-11-02',
      value: '$980,000',
      currency: 'USD',
    });
  });

  it('needs a reason if it replaces another value', async () => {
    const { contact, enter, latest } = await withContact();
    const asked = await enter({ period: '2026-10-31', value: '980000' });
    expect(asked.status).toBe(422);
    expect(plain(asked.text)).toContain('Write why you correct the value.');
    expect(await latest()).toMatchObject({ raw_value: 990000.25 });
    expect(await contact.submit(formTo(asked, '/enter'), { reason: 'Typo' })).toMatchObject({
      status: 303,
    });
    expect(await latest()).toMatchObject({ raw_value: 980000 });
  });

  it('needs a confirmation if it is unlikely, and the confirmation is valid only for this value', async () => {
    const { contact, enter, latest } = await withContact();
    const fields = { period: '2026-10-31', reason: 'Typo' };
    const asked = await enter({ ...fields, value: '9900' });
    expect(plain(asked.text)).toContain('At least 50 times larger or smaller than before.');
    const other = await contact.submit(formTo(asked, '/enter'), { value: '99', tick: 'yes' });
    expect(other.status).toBe(422);
    expect(await latest()).toMatchObject({ raw_value: 990000.25 });
    expect(await contact.submit(formTo(other, '/enter'), { tick: 'yes' })).toMatchObject({
      status: 303,
    });
    expect(await latest()).toMatchObject({ raw_value: 99 });
  });

  it('causes a question if its number is ambiguous, and the answer is valid only for this number', async () => {
    const { contact, enter, latest } = await withContact();
    const fields = { period: '2026-11-02', reason: '' };
    const asked = await enter({ ...fields, value: '990.200' });
    expect(plain(asked.text)).toContain('Does 990.200 mean 990200?');
    const other = await contact.submit(formTo(asked, '/enter'), {
      value: '990.300',
      numbers: 'thousands',
    });
    expect(plain(other.text)).toContain('Does 990.300 mean 990300?');
    expect(await contact.submit(formTo(other, '/enter'), { numbers: 'thousands' })).toMatchObject({
      status: 303,
    });
    expect(await latest()).toMatchObject({ raw_value: 990300 });
  });

  it.each([
    [{ value: '980000' }, 'Enter a date and a value.'],
    [{ period: '2026-10-31', value: '#REF!' }, '#REF! is an error of a formula.'],
    [{ period: 'soon', value: '980000' }, '“soon” isn’t a date'],
    [{ period: '2026-10-31', value: '9'.repeat(26) }, 'up to 25 digits'],
    [{ period: '2026-10-31', value: '990000.25' }, 'This value is already saved'],
    [{ period: '2026-10-31', value: '980000', reason: '\u202e' }, 'no invisible'],
  ])('is rejected with a reason if the form contains %j', async (fields, words) => {
    const { enter, latest } = await withContact();
    const refused = await enter(fields);
    expect(refused.status).toBe(422);
    expect(plain(refused.text)).toContain(words);
    expect(await latest()).toMatchObject({ raw_value: 990000.25 });
  });

  it('replaces a voided value, even if the metric has no other value', async () => {
    const { contact, company } = await withContact();
    const only = '/desk/data/metrics/total';
    await importLines(given().operator, [
      aValue(company.id, { key: 'total', raw_value: 7, currency: 'EUR' }),
    ]);
    const unvoided = await contact.fill(only, '/void', { period: '2026-10-31' });
    expect(plain(unvoided.text)).toContain('Write why you void the value.');
    await contact.fill(only, '/void', { period: '2026-10-31', reason: 'Wrong month' });
    await contact.fill(only, '/enter', { period: '2026-10-31', value: '8', reason: 'Right' });
    const rows = rowsOf((await contact.get(only)).text.split('id="revisions"')[1] ?? '');
    expect(rows.map((row) => row.split(' ').slice(0, 3).join(' '))).toEqual([
      '2026-10-31 €8 3',
      '2026-10-31 Voided Wrong',
      '2026-10-31 €7 1',
    ]);
  });
});
