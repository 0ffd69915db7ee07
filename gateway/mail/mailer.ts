import { toOneLine } from './safe-text.ts';

export interface SmtpSettings {
  readonly url: string;
  readonly from: { readonly name: string; readonly address: string };
}

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Stays the same for each attempt, so that a mailbox can recognize a duplicate. */
  readonly messageIdPart: string;
}

/** The message is for operators. It is never logged, because it can contain an email address. */
export class MailError extends Error {
  /** The reply code of the mail server, or the code of the error. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'MailError';
    this.code = code;
  }
}

export type Mailer = ReturnType<typeof createMailer>;

const defaultTimeouts = {
  /** The longest time without an answer from the server, also for the connection and the greeting. */
  silenceMilliseconds: 15_000,
  /** The longest time for a complete delivery, because a server may send one character at a time. */
  sendMilliseconds: 60_000,
};

const maxReasonLength = 300;

export function createMailer(
  { url, from }: SmtpSettings,
  { silenceMilliseconds, sendMilliseconds } = defaultTimeouts,
) {
  const { protocol, hostname, username } = new URL(url);
  // A connection to this machine can't be intercepted, and local mail servers often use self-signed certificates. So
  // such a connection needs neither TLS nor a valid certificate.
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const settings = {
    url,
    // Requires TLS before a password leaves this machine. By default, TLS is used only if the server offers it.
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
  // The library takes megabytes of memory, so it is loaded with the first mail.
  const open = async () => (await import('nodemailer')).createTransport(settings);
  let transport: ReturnType<typeof open> | undefined;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    /**
     * Connects to the mail server and signs in, but sends no mail.
     *
     * @throws MailError
     */
    async verify(): Promise<void> {
      const once = await open();
      try {
        await once.verify();
      } catch (error) {
        throw toMailError(error);
      } finally {
        once.close();
      }
    },
    /**
     * Resolves when the server has accepted the mail.
     *
     * @throws MailError
     */
    async send(
      { to, subject, text, html, messageIdPart }: OutgoingMail,
      signal: AbortSignal,
    ): Promise<void> {
      try {
        transport ??= open();
        await (await transport).sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${messageIdPart}@${domain}>`,
          // Prevents out-of-office replies.
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
