import { expect, test } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { createFixtures } from '../support/fixtures.ts';
import { openOwnDatabase } from './database.ts';
import { type Json, runCommand } from './harness.ts';

const { composition } = await closedAfterAll(openOwnDatabase());
const fixtures = createFixtures(composition.operatorUseCases, composition.investorUseCases);

const run = (...commandLine: string[]) => runCommand(commandLine, { composition });
const json = async (...commandLine: string[]) => (await run(...commandLine, '--json')).json;

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const addition = (companyId: string, email: string) => {
  return ['contact', 'add', '--company', companyId, '--email', email];
};

test('a contact is added, listed and removed', async () => {
  const { id: company } = await fixtures.company();
  const other = await fixtures.company();
  const add = (email: string) => json('contact', 'add', '--company', company, '--email', email);
  const contact = await add('board@harbor.example');
  expect(contact).toEqual({
    id: expect.stringMatching(/^ct_/),
    company_id: company,
    investor_id: null,
    email: 'board@harbor.example',
    role: 'admin',
    created_at: instant,
  });
  expect((await json('contact', 'list', '--company', company)).data).toEqual([contact]);
  expect((await json('contact', 'list', '--company', other.id)).data).toEqual([]);
  expect((await json('contact', 'list')).data).toContainEqual(contact);
  expect((await run('contact', 'list')).stdout).toContain('board@harbor.example');
  expect(await json('contact', 'remove', contact.id, '--last-admin')).toEqual({
    id: contact.id,
    removed: true,
  });
  expect((await json('contact', 'list', '--company', company)).data).toEqual([]);
  expect(await run('contact', 'remove', contact.id, '--last-admin')).toMatchObject({
    exitCode: 1,
    stderr: `error: the contact ${contact.id} doesn’t exist\n`,
  });
});

test('waiting mails are listed, and --json includes the text that the contact gets', async () => {
  const { key, company, investor } = await fixtures.portfolio();
  const contact = await json(...addition(company.id, 'a@b.example'), '--no-invitation');
  const request = await fixtures.request(key, company.id, ['metrics:read']);
  await composition.serviceUseCases.queueMails();
  const { data } = await json('mail', 'list', '--state', 'waiting');
  expect(data.filter(({ contact_id: id }: { contact_id: string }) => id === contact.id)).toEqual([
    {
      id: expect.stringMatching(/^ml_/),
      event_id: expect.stringMatching(/^evt_/),
      contact_id: contact.id,
      company_id: company.id,
      investor_id: null,
      access_request_id: request.id,
      kind: 'request_received',
      to: 'a@b.example',
      subject: `${investor.name} asks for access to data of ${company.name}`,
      text: expect.stringContaining(`/company/v1/access-requests/${request.id}/approve`),
      state: 'waiting',
      attempts: 0,
      next_attempt_at: instant,
      last_failure: null,
      created_at: instant,
      sent_at: null,
    },
  ]);
  const { stdout } = await run('mail', 'list');
  expect(stdout).toMatch(/waiting +request_received +a@b\.example/);
  expect((await run('mail', 'list', '--state', 'sent')).stdout).toBe('No mails.\n');
  const second = await fixtures.portfolio();
  await json(...addition(second.company.id, 'a@b.example'), '--no-invitation');
  await fixtures.request(second.key, second.company.id);
  await composition.serviceUseCases.queueMails();
  expect(await json('mail', 'list', '--limit', '1')).toMatchObject({
    data: [{ company_id: second.company.id }],
    has_more: true,
  });
  expect((await run('mail', 'list', '--limit', '1')).stdout).toContain('There are older mails');
  expect((await run('mail', 'list', '--limit', '0')).exitCode).toBe(1);
});

test('a new contact is invited by mail', async () => {
  const { id: company, name } = await fixtures.company();
  const { id } = await json(...addition(company, 'invited@harbor.example'));
  const { data } = await json('mail', 'list', '--state', 'waiting');
  expect(data.filter((mail: Json) => mail.contact_id === id)).toEqual([
    expect.objectContaining({
      kind: 'contact_invited',
      event_id: null,
      access_request_id: null,
      company_id: company,
      to: 'invited@harbor.example',
      subject: `You are now a contact of ${name}`,
    }),
  ]);
});
