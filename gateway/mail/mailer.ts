import { toOneLine } from './safe-text.ts';

export interface SmtpSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  readonly url: string;
  /** The mailbox that the mails come from, with a name or without. */
  readonly from: { readonly name: string; readonly address: string };
}

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for the same mail, however often it is sent: a mailbox that gets it twice can tell. */
  readonly messageIdPart: string;
}

/** Why a mail was not taken. The message is for operators: it may hold the address, so it is never logged. */
export class MailError extends Error {
  /** For the log: the server's answer in three digits, or what broke. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'MailError';
    this.code = code;
  }
}

export interface Mailer {
  /**
   * Resolves when the server has taken the mail.
   *
   * @throws MailError
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /**
   * Connects and signs in, and sends nothing.
   *
   * @throws MailError
   */
  verify(): Promise<void>;
}

interface Timeouts {
  /** For the connection, the greeting, and any silence after it. */
  readonly silenceMilliseconds: number;
  /** For the whole, so that a server that answers one character at a time holds nothing either. */
  readonly sendMilliseconds: number;
}

const defaultTimeouts: Timeouts = { silenceMilliseconds: 15_000, sendMilliseconds: 60_000 };

const maxReasonLength = 300;

export function createMailer(
  { url, from }: SmtpSettings,
  { silenceMilliseconds, sendMilliseconds }: Timeouts = defaultTimeouts,
): Mailer {
  const { protocol, hostname, username } = new URL(url);
  // Nobody stands between us and this very machine, where mail servers have certificates that they made themselves.
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const settings = {
    url,
    // A server that offers TLS is always spoken to with TLS; a password is never sent without.
    requireTLS: protocol !== 'smtps:' && username !== '' && !isLocal,
    tls: { rejectUnauthorized: !isLocal },
    connectionTimeout: silenceMilliseconds,
    greetingTimeout: silenceMilliseconds,
    dnsTimeout: silenceMilliseconds,
    socketTimeout: silenceMilliseconds,
    socketCloseTimeout: 1_000,
    maxResponseSize: 65_536,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  // The library is megabytes that only who sends mails needs.
  const open = async () => (await import('nodemailer')).createTransport(settings);
  let transport: ReturnType<typeof open> | undefined;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async verify() {
      const once = await open();
      try {
        await once.verify();
      } catch (error) {
        throw toMailError(error);
      } finally {
        once.close();
      }
    },
    async send({ to, subject, text, html, messageIdPart }, signal) {
      try {
        transport ??= open();
        await (await transport).sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${messageIdPart}@${domain}>`,
          // No out-of-office note answers this.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(sendMilliseconds)]),
        });
      } catch (error) {
        throw toMailError(error);
      }
    },
  };
}

function toMailError(error: unknown): MailError {
  const { message, response, responseCode, code } = error as {
    message?: unknown;
    response?: unknown;
    responseCode?: unknown;
    code?: unknown;
  };
  const reason = typeof response === 'string' && response !== '' ? response : message;
  return new MailError(
    toOneLine(String(reason), maxReasonLength),
    String(responseCode ?? code ?? 'unknown'),
  );
}
