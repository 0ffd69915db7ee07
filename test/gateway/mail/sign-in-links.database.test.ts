import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startMailService } from '../../../gateway/mail/mail-service.ts';
import { createMailer } from '../../../gateway/mail/mailer.ts';
import { createSignInMessage } from '../../../gateway/mail/message.ts';
import { backends } from '../../support/backends.ts';
import { closedAfterTest } from '../../support/closed.ts';
import { startServiceOn } from '../../support/service-on.ts';
import { startSmtpServer } from '../../support/smtp.ts';

const desk = 'https://access.example/desk';
const service = await startServiceOn(backends.at(-1));

const startServer = (options?: Parameters<typeof startSmtpServer>[0]) =>
  closedAfterTest(startSmtpServer(options));

function startProcess(url: string, links = { docs: null, desk: desk as string | null }) {
  const log = { debug: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const process = startMailService({
    useCases: service.background,
    mailer: createMailer({ url, from: { name: '', address: 'access@service.example' } }),
    links,
    logger: log,
  });
  onTestFinished(process.stop);
  return { log, ...process };
}

const freshEmail = () => `${randomUUID()}@harbor.example`;

async function aContact(): Promise<string> {
  const { id: companyId } = await service.fixtures.company();
  const email = freshEmail();
  await service.operator.addContact({ companyId, email, invite: false });
  return email;
}

const ask = (email: string) => service.contacts.requestSignIn({ email, source: email });

/** Returns the sign-in token, even if the mail server has wrapped the lines. */
const tokenIn = (source: string) =>
  /svc_sl_[0-9A-Za-z]{32}/.exec(source.replaceAll('=\r\n', ''))?.[0] ?? '';

test('a contact gets one sign-in link from any number of processes, and an unknown address gets none', async () => {
  const server = await startServer();
  const [first, second, stranger] = [await aContact(), await aContact(), freshEmail()];
  for (const email of [stranger, first]) await ask(email);
  const processes = Array.from({ length: 3 }, () => startProcess(server.url));
  await expect.poll(() => server.received.length).toBe(1);
  for (const email of [stranger, second]) await ask(email);
  for (const { sendSignInLinks } of processes) sendSignInLinks();
  await expect.poll(() => server.received.length).toBe(2);
  for (const { stop } of processes) await stop();
  expect(server.received.map(({ to }) => to)).toEqual([[first], [second]]);
  const logged = JSON.stringify(
    processes.map(({ log }) => Object.values(log).map((fn) => fn.mock.calls)),
  );
  for (const { source } of server.received) {
    const token = tokenIn(source);
    expect(logged).not.toContain(token);
    const opening = { token, previousSession: null, device: null };
    expect(await service.contacts.signIn(opening)).toMatchObject({
      session: expect.stringMatching(/^svc_ds_/),
    });
    expect(await service.contacts.signIn(opening)).toBeNull();
  }
  expect(logged).not.toContain('harbor.example');
});

test('a refused mail is retried, and the log doesn’t contain its link', async () => {
  const refused: string[] = [];
  const server = await startServer({
    onRcptTo({ address }, _session, done) {
      refused.push(address);
      done(Object.assign(new Error('busy'), { responseCode: 452 }));
    },
  });
  const email = await aContact();
  await ask(email);
  const { log } = startProcess(server.url);
  await expect.poll(() => log.warn.mock.calls.length).toBe(1);
  expect(refused).toEqual([email]);
  expect(log.warn.mock.calls).toEqual([
    [
      expect.objectContaining({ attempts: 1, code: '452', nextAttemptAt: expect.any(Date) }),
      'a mail was not accepted; it will be sent again',
    ],
  ]);
  expect(JSON.stringify(log.warn.mock.calls)).not.toMatch(/svc_|example/);
});

test('no sign-in link is sent if the address of the desk is unknown', async () => {
  const server = await startServer();
  await ask(await aContact());
  const { stop, sendSignInLinks } = startProcess(server.url, { docs: null, desk: null });
  sendSignInLinks();
  await stop();
  expect(server.received).toEqual([]);
});

test('the mail explains the sign-in link, its period of validity, and what to do if it is unexpected', () => {
  const token = `svc_sl_${'a'.repeat(32)}`;
  const language = 'en';
  const link = {
    id: 'sl_1',
    email: 'cfo@harbor.example',
    attempts: 2,
    createdAt: new Date(),
    language,
  };
  const kind = 'sign_in_link';
  const message = createSignInMessage({ ...link, kind, token }, desk);
  expect(message).toMatchObject({ to: 'cfo@harbor.example', messageIdPart: 'sl_1.2' });
  expect(message.subject).not.toContain(token);
  expect(
    message.text,
  ).toBe(`A link to sign in was requested for this address, probably by you. Press the button here, and then the button on the page that opens.

Sign in:
${desk}/sign-in/confirm?token=${token}

The link is valid for 15 minutes and works once.

If you did not request it, ignore this mail and do not forward the link.
`);
  expect(message.html).toContain(`<a href="${desk}/sign-in/confirm?token=${token}"`);
});
