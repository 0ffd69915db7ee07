import { describe, expect, test } from 'vitest';
import { payloadOf } from '../../../support/receipt-chain.ts';
import { aNewcomer, createWorld, expectRefusal } from '../../world.ts';

async function aRevokedGrant() {
  const { world, caller, companyId, investor, company } = await aNewcomer();
  const { accessRequest } = await world.callers.requestAccess(caller, {
    ...{ companyId, scopes: ['metrics:read'], purpose: 'Quarterly review' },
  });
  const { id } = accessRequest;
  await world.operator.approveAccessRequest({ id });
  await world.operator.revokeAccessRequest({ id, reason: 'Enough.' });
  const receipts = async () => (await world.operator.listReceipts({ id })).items;
  return { ...world, companyId, company, investor, id, receipts };
}

describe('an erasure', () => {
  test('erases a company’s name and texts in receipts and signs the receipts again', async () => {
    const { operator, clock, company, companyId: id, investor, receipts } = await aRevokedGrant();
    const before = (await receipts()).map(payloadOf);
    clock.advance(60_000);
    const name = `Erased company ${id}`;
    const erased = await operator.eraseCompany({ id, name: company.name });
    expect(erased).toEqual({ id, name, people: 0, receipts: before.length });
    expect((await receipts()).map(payloadOf)).toEqual(
      before.map((said) => ({
        ...said,
        data_subject: { id, name },
        data_recipient: { id: investor.id, name: investor.name },
        purpose: '[erased]',
        reason: said.reason && '[erased]',
        signed_at: clock.now().toISOString(),
      })),
    );
  });

  test('changes only the name of an investor in receipts', async () => {
    const { operator, company, investor, receipts } = await aRevokedGrant();
    await operator.eraseInvestor({ id: investor.id, name: investor.name });
    for (const said of (await receipts()).map(payloadOf)) {
      expect([said.data_subject.name, said.data_recipient.name]).toEqual([
        company.name,
        `Erased investor ${investor.id}`,
      ]);
    }
  });

  test('leaves a log entry without the erased name, and a company that can’t be resumed', async () => {
    const { operator, company, companyId: id } = await aRevokedGrant();
    await operator.eraseCompany({ id, name: company.name });
    const { items } = await operator.listSettingsChanges({ companyId: id });
    expect(items[0]).toMatchObject({ type: 'company.erased', actor: { type: 'operator' } });
    expect(JSON.stringify(items)).not.toContain(company.name);
    await expectRefusal(operator.resumeCompany({ id }), 'invalid_parameter', 'was erased');
    const renamed = operator.renameCompany({ id, name: 'Harbor' });
    await expectRefusal(renamed, 'invalid_parameter', 'was erased');
  });

  test('leaves receipts unchanged if they don’t contain the erased person’s email address', async () => {
    const { operator, companyId, receipts } = await aRevokedGrant();
    const before = await receipts();
    const email = 'ada@example.com';
    const contact = await operator.addContact({ companyId, email });
    await operator.eraseContact({ email: 'Ada@Example.com', confirmation: email });
    expect(await receipts()).toEqual(before);
    expect(await operator.listContacts({ companyId })).toEqual([]);
    const { items } = await operator.listSettingsChanges({ companyId });
    expect(items[0]).toMatchObject({
      type: 'contact.erased',
      subject: { id: contact.id, name: `Erased person ${contact.id}` },
    });
    expect(JSON.stringify(items)).not.toContain(email);
  });

  test('is refused if the operator confirms it with a wrong name, or if the company is a sandbox company', async () => {
    const { operator, companyId: id, investor } = await aRevokedGrant();
    const name = 'Other';
    for (const attempt of [
      operator.eraseCompany({ id, name }),
      operator.eraseInvestor({ id: investor.id, name }),
    ]) {
      await expectRefusal(attempt, 'invalid_parameter', 'nothing was erased');
    }
    const sandbox = operator.eraseCompany({ id: 'co_test_approves', name });
    await expectRefusal(sandbox, 'invalid_parameter', 'sandbox companies can’t be erased');
    const person = operator.eraseContact({ email: 'ada@example.com', confirmation: name });
    await expectRefusal(person, 'invalid_parameter', 'nothing was erased');
  });

  test('is refused while an access request is open, and the error contains the request’s ID', async () => {
    const world = createWorld();
    const { operator } = world;
    const { key, company, investor } = await world.portfolio();
    const { id } = await world.grant({ key, company });
    const attempts = [
      operator.eraseCompany({ id: company.id, name: company.name }),
      operator.eraseInvestor({ id: investor.id, name: investor.name }),
    ];
    for (const attempt of attempts) await expectRefusal(attempt, 'requests_live', id);
  });

  test('requires a signing key if a receipt has been signed', async () => {
    const world = await aRevokedGrant();
    const { company, ports } = world;
    const other = createWorld(() => ({
      ...ports,
      signer: { ...ports.signer, current: async () => null },
    }));
    const attempt = other.operator.eraseCompany({ id: company.id, name: company.name });
    await expectRefusal(attempt, 'signing_key_missing');
  });

  test('succeeds even if only the name of an API key contains the person’s email address', async () => {
    const { operator, newcomer } = createWorld();
    const { keyId } = await newcomer();
    const email = 'ann@fund.co';
    await operator.renameApiKey({ id: keyId, name: `Notebook of ${email}` });
    const erased = await operator.eraseContact({ email, confirmation: email });
    // The two other rows are the API key and the log entry about its rename.
    expect(erased).toEqual({ people: 0, receipts: 0, otherRows: 2 });
    const again = operator.eraseContact({ email, confirmation: email });
    await expectRefusal(again, 'contact_not_found');
  });

  test('is refused for an email address that no contact has ever had', async () => {
    const { operator } = createWorld();
    const email = 'nobody@example.com';
    const attempt = operator.eraseContact({ email, confirmation: email });
    await expectRefusal(attempt, 'contact_not_found', email);
  });
});

test('an import refuses a line about an erased company', async () => {
  const { operator, company, companyId: id } = await aRevokedGrant();
  await operator.eraseCompany({ id, name: company.name });
  const problems: string[] = [];
  async function* lines() {
    yield JSON.stringify({ type: 'company', id, name: 'Harbor', environment: 'live' });
  }
  await operator.importRecords(lines(), { onProblem: ({ reason }) => problems.push(reason) });
  expect(problems).toEqual([`company_id: the company ${id} was erased`]);
});
