import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  readonly isEncrypted: boolean;
  readonly user: unknown;
}

export interface SmtpReceiver {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  close(): Promise<void>;
}

/** A real server that accepts all mails unless the options refuse them. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    // The tests don't need the client's host name.
    disableReverseLookup: true,
    closeTimeout: 1,
    onData(stream, { envelope, secure, user }, done) {
      const receive = async (): Promise<void> => {
        const source = await text(stream);
        received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source,
          isEncrypted: secure,
          user,
        });
      };
      receive().then(() => done(), done);
    },
    ...options,
  });
  // Some tests disconnect a client in the middle of a mail.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp${options.secure ? 's' : ''}://127.0.0.1:${port}`,
    received,
    close: () => new Promise((done) => server.close(() => done())),
  };
}

/** Doesn't speak SMTP. The test handles each connection. */
export async function startRawServer(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const answers: Readonly<Record<string, string>> = {
  EHLO: '250 here',
  MAIL: '250 fine',
  RCPT: '250 fine',
  DATA: '354 go on',
};

/** Answers as an SMTP server until the first bytes of the mail arrive. */
export function answerUpToData(socket: Socket, onMail: (socket: Socket) => void): void {
  socket.write('220 here\r\n');
  let isMail = false;
  socket.on('data', (chunk) => {
    if (isMail) return onMail(socket);
    const command = String(chunk).slice(0, 4).toUpperCase();
    isMail = command === 'DATA';
    socket.write(`${answers[command] ?? '250 fine'}\r\n`);
  });
}
