import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createMailer, type MailError, type OutgoingMail } from '../../../gateway/mail/mailer.ts';
import { closedAfterTest } from '../../support/closed.ts';
import { answerUpToData, startRawServer, startSmtpServer } from '../../support/smtp.ts';

const mail: OutgoingMail = {
  to: 'board@harbor.example',
  subject: 'North Capital asks for access',
  text: 'The text.\n',
  html: '<p>The text.</p>\n',
  messageIdPart: 'evt_1.ct_1',
};

const from = { name: 'Portfolio Access', address: 'access@service.example' };

const never = new AbortController().signal;

function failureOf(url: string, signal = never, timeouts?: Parameters<typeof createMailer>[1]) {
  return createMailer({ url, from }, timeouts)
    .send(mail, signal)
    .then(
      () => null,
      (error: MailError) => ({ name: error.name, code: error.code, message: error.message }),
    );
}

test('a mail arrives with text and HTML, and keeps its message ID if it is sent twice', async () => {
  const server = await closedAfterTest(startSmtpServer());
  const mailer = createMailer({ url: server.url, from });
  await mailer.send(mail, never);
  await mailer.send(mail, never);
  expect(server.received).toHaveLength(2);
  for (const { source, ...envelope } of server.received) {
    expect(envelope).toMatchObject({ from: from.address, to: [mail.to] });
    expect(source).toContain('From: Portfolio Access <access@service.example>\r\n');
    expect(source).toContain('To: board@harbor.example\r\n');
    expect(source).toContain('Message-ID: <evt_1.ct_1@service.example>\r\n');
    expect(source).toContain('Auto-Submitted: auto-generated\r\n');
    expect(source).toMatch(/Content-Type: multipart\/alternative/);
    expect(source).toContain('The text.');
    expect(source).toContain('<p>The text.</p>');
  }
});

test('TLS is used if the mail server offers it, and from the first byte with the scheme smtps', async () => {
  const offered = await closedAfterTest(startSmtpServer());
  const absent = await closedAfterTest(startSmtpServer({ hideSTARTTLS: true }));
  const secure = await closedAfterTest(startSmtpServer({ secure: true }));
  for (const { url } of [offered, absent, secure]) expect(await failureOf(url)).toBeNull();
  expect([offered, absent, secure].map(({ received }) => received[0]?.isEncrypted)).toEqual([
    true,
    false,
    true,
  ]);
});

test('the mail server receives the decoded user name and password from the URL', async () => {
  const server = await closedAfterTest(
    startSmtpServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        done(null, password === 'p@ss/word' ? { user: username } : {}),
    }),
  );
  const url = server.url.replace('//', '//mail%40service:p%40ss%2Fword@');
  expect(await failureOf(url)).toBeNull();
  expect(server.received[0]?.user).toBe('mail@service');
});

test.each([
  ['temporarily', 451],
  ['permanently', 550],
])('the error quotes the answer of a server that refuses a mail %s', async (_how, responseCode) => {
  const server = await closedAfterTest(
    startSmtpServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such mailbox'), { responseCode })),
    }),
  );
  expect(await failureOf(server.url)).toEqual({
    name: 'MailError',
    code: String(responseCode),
    message: `${responseCode} no such mailbox`,
  });
});

test('the error contains no control characters from the answer of the mail server', async () => {
  const server = await closedAfterTest(
    startRawServer((socket) => socket.write('554-go\u001b[31m\r\n554 away\r\n')),
  );
  const failure = await failureOf(server.url);
  expect(failure).toMatchObject({ code: '554', message: expect.stringContaining('away') });
  expect(failure?.message).not.toMatch(/\p{Cc}/u);
});

const patient = { silenceMilliseconds: 60_000, sendMilliseconds: 60_000 };

test.each<[string, (socket: Socket) => void, typeof patient]>([
  [
    'disconnects in the middle of the mail',
    (socket) => answerUpToData(socket, (open) => open.destroy()),
    patient,
  ],
  ['never answers', () => undefined, { ...patient, silenceMilliseconds: 50 }],
  [
    'stops answering',
    (socket) => answerUpToData(socket, () => undefined),
    { ...patient, silenceMilliseconds: 50 },
  ],
  [
    'answers too slowly',
    (socket) => {
      const timer = setInterval(() => socket.write('220-still\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    },
    { ...patient, sendMilliseconds: 50 },
  ],
])('a mail fails if the server %s', async (_what, answer, timeouts) => {
  const server = await closedAfterTest(startRawServer(answer));
  expect(await failureOf(server.url, never, timeouts)).toMatchObject({ name: 'MailError' });
});

test('a mail fails if the server is unreachable', async () => {
  const { url, close } = await startRawServer(() => undefined);
  await close();
  expect(await failureOf(url)).toMatchObject({ name: 'MailError' });
});

test('a mail in progress is aborted when the service stops', async () => {
  const stopping = new AbortController();
  const server = await closedAfterTest(
    startRawServer((socket) => answerUpToData(socket, () => stopping.abort())),
  );
  expect(await failureOf(server.url, stopping.signal)).toMatchObject({ name: 'MailError' });
});
