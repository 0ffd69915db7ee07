import { describe, expect, test } from 'vitest';
import { createWorld, expectRefusalSaying, start } from './world.ts';

describe('a contact', () => {
  test('has its address in lower case, without the space around it', async () => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    const contact = await operator.addContact({ companyId, email: ' CFO@Harbor.Example ' });
    expect(contact).toEqual({
      id: expect.stringMatching(/^ct_/),
      companyId,
      email: 'cfo@harbor.example',
      createdAt: start,
    });
    expect(await operator.listContacts()).toEqual([contact]);
  });

  test.each([
    '',
    'nobody',
    'a@b',
    'a b@harbor.example',
    'a@harbor.example\r\nBcc: b@harbor.example',
    'Name <a@harbor.example>',
    `${'a'.repeat(250)}@b.example`,
  ])('with the address %j is refused', async (email) => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    await expectRefusalSaying(
      operator.addContact({ companyId, email }),
      'invalid_parameter',
      'The parameter email has a value',
    );
  });

  test('is added once to a company, and may be of two companies', async () => {
    const { operator, company } = createWorld();
    const [first, second] = [await company(), await company()];
    const email = 'cfo@harbor.example';
    const contact = await operator.addContact({ companyId: first.id, email });
    await expectRefusalSaying(
      operator.addContact({ companyId: first.id, email: email.toUpperCase() }),
      'contact_exists',
      'The company has a contact with this address already.',
    );
    await operator.addContact({ companyId: second.id, email });
    expect(await operator.listContacts({ companyId: first.id })).toEqual([contact]);
    expect(await operator.listContacts({})).toHaveLength(2);
  });

  test('is one of at most twenty', async () => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    for (let count = 1; count <= 20; count += 1) {
      await operator.addContact({ companyId, email: `c${count}@harbor.example` });
    }
    await expectRefusalSaying(
      operator.addContact({ companyId, email: 'c21@harbor.example' }),
      'contact_limit',
      'The company has as many contacts as it may have.',
    );
  });

  test('is removed once', async () => {
    const { operator, company } = createWorld();
    const { id: companyId } = await company();
    const { id } = await operator.addContact({ companyId, email: 'cfo@harbor.example' });
    await operator.removeContact({ id });
    expect(await operator.listContacts()).toEqual([]);
    await expectRefusalSaying(
      operator.removeContact({ id }),
      'contact_not_found',
      `no contact ${id}`,
    );
  });

  test('of no company is refused', async () => {
    const { operator } = createWorld();
    const companyId = 'co_none';
    await expectRefusalSaying(
      operator.addContact({ companyId, email: 'a@b.example' }),
      'company_not_found',
      'co_none',
    );
    await expectRefusalSaying(operator.listContacts({ companyId }), 'company_not_found', 'co_none');
  });
});
