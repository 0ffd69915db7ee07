import { expect, onTestFinished, test, vi } from 'vitest';
import { type Mail, newsKinds } from '#core';
import { startMailService } from '../../../gateway/mail/mail-service.ts';
import { createMailer } from '../../../gateway/mail/mailer.ts';
import { formTo, signInInvestor } from '../../desk/desk.ts';
import { backends } from '../../support/backends.ts';
import { closedAfterTest } from '../../support/closed.ts';
import { isFull } from '../../support/property-runs.ts';
import { startServiceOn } from '../../support/service-on.ts';
import { answerUpToData, startRawServer, startSmtpServer } from '../../support/smtp.ts';

const service = await startServiceOn(backends.at(-1), { isReachedDirectly: true });

const from = { name: '', address: 'access@service.example' };

function startProcess(url: string | null, timeouts?: Parameters<typeof createMailer>[1]) {
  const log = { debug: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const { stop } = startMailService({
    useCases: service.background,
    mailer: url === null ? null : createMailer({ url, from }, timeouts),
    links: { docs: null, desk: null },
    logger: log,
  });
  onTestFinished(stop);
  return { log, stop };
}

async function aRequest(contacts = 1) {
  const { key, company } = await service.fixtures.portfolio();
  const emails: string[] = [];
  for (let count = 1; count <= contacts; count += 1) {
    const email = `contact${count}@${company.id.replace('_', '-')}.example`;
    // An admin would also get a mail about each later contact, so the contacts are viewers.
    const added = { companyId: company.id, email, role: 'viewer', invite: false } as const;
    await service.operator.addContact(added);
    emails.push(email);
  }
  const request = await service.fixtures.request(key, company.id);
  const mails = async (): Promise<Mail[]> =>
    (await service.operator.listMails({ limit: 10_000 })).mails.filter(
      ({ event }) => event?.accessRequest.id === request.id,
    );
  return { request, emails, mails };
}

test('each contact gets one mail from any number of processes', async () => {
  const server = await closedAfterTest(startSmtpServer());
  const asked = [await aRequest(2), await aRequest(3), await aRequest(2)];
  const processes = Array.from({ length: 3 }, () => startProcess(server.url));
  for (const { mails, emails } of asked) {
    await expect
      .poll(async () => (await mails()).map(({ state }) => state))
      .toEqual(emails.map(() => 'sent'));
  }
  const later = await aRequest(1);
  await expect.poll(async () => (await later.mails()).map(({ state }) => state)).toEqual(['sent']);
  for (const { stop } of processes) await stop();
  const emails = [...asked, later].flatMap((one) => one.emails);
  expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(emails.toSorted());
});

test('a refused mail waits for its next attempt, and the log contains no address', async () => {
  const server = await closedAfterTest(
    startSmtpServer({
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`${address} is full`), { responseCode: 452 })),
    }),
  );
  const { mails, emails } = await aRequest();
  const { log } = startProcess(server.url);
  await expect.poll(async () => (await mails())[0]?.lastFailure).toBe(`452 ${emails[0]} is full`);
  expect(await mails()).toMatchObject([{ state: 'waiting', attempts: 1 }]);
  await expect.poll(() => log.warn.mock.calls.length).toBeGreaterThan(0);
  expect(log.warn.mock.calls).toContainEqual([
    expect.objectContaining({ attempts: 1, code: '452' }),
    'a mail was not accepted; it will be sent again',
  ]);
  expect(JSON.stringify([log.warn.mock.calls, log.error.mock.calls])).not.toContain('example');
});

test('mails are stored and wait if no mail server is configured', async () => {
  const { mails } = await aRequest();
  startProcess(null);
  await expect.poll(mails).toMatchObject([{ state: 'waiting', attempts: 0 }]);
});

test.runIf(isFull)(
  'while the mail server hangs, mails are still stored and the process can stop',
  async () => {
    const connected = Promise.withResolvers<void>();
    const server = await closedAfterTest(
      startRawServer((socket) => answerUpToData(socket, () => connected.resolve())),
    );
    // One process sends fewer mails at the same time.
    const first = await aRequest(6);
    const { stop } = startProcess(server.url);
    await connected.promise;
    const second = await aRequest();
    await expect.poll(second.mails).toHaveLength(1);
    await stop();
    const states = [...(await first.mails()), ...(await second.mails())].map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['waiting']));
  },
);

test('an outage of the database is logged once, and the mail service resumes afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  let calls = 0;
  const log = { debug: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const { stop } = startMailService({
    useCases: {
      ...service.background,
      queueMails: async () => {
        calls += 1;
        if (calls !== 3) throw new Error('the connection broke');
        return 0;
      },
    },
    mailer: null,
    links: { docs: null, desk: null },
    logger: log,
  });
  onTestFinished(stop);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([calls, log.error.mock.calls.length]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(4_000);
  vi.useRealTimers();
  expect([calls, log.error.mock.calls.length]).toEqual([4, 2]);
});

test('an investor’s contact gets news once, in the contact’s language, from any number of processes', async () => {
  const server = await closedAfterTest(startSmtpServer());
  const { key, company, investor } = await service.fixtures.portfolio();
  const person = await signInInvestor(service, investor.id);
  const path = '/desk/settings/mails';
  const atOnce = Object.fromEntries(newsKinds.map((kind) => [kind, 'at_once']));
  const form = formTo(await person.get(path), path);
  const german = { 'accept-language': 'de' };
  const fields = { ...form.fields, ...atOnce, time_zone: 'Europe/Berlin' };
  expect((await person.post(path, fields, german)).location).toBe(`${path}?done=saved`);
  const { id } = await service.fixtures.request(key, company.id);
  await service.operator.declineAccessRequest({ id });
  const processes = Array.from({ length: 3 }, () => startProcess(server.url));
  const news = async () =>
    (await service.operator.listMails({ limit: 10_000 })).mails.filter(
      ({ to, kind }) => to === person.email && kind === 'news',
    );
  await expect.poll(async () => (await news()).map(({ state }) => state)).toEqual(['sent']);
  for (const { stop } of processes) await stop();
  const [received = expect.fail(), ...others] = server.received.filter(({ source }) =>
    source.includes('abgelehnt'),
  );
  expect(others).toEqual([]);
  expect(received.to).toEqual([person.email]);
  expect(received.source).toContain(`Subject: ${company.name} hat Ihre Anfrage abgelehnt`);
  expect(received.source).toContain('<html lang=3D"de">');
});
