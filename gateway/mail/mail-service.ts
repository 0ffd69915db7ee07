import type { Logger } from 'pino';
import type { QueuedMail, ServiceUseCases } from '#core';
import { type SendSignals, startQueueWorker } from '../queue-worker.ts';
import type { MailLinks } from './links.ts';
import { MailError, type Mailer, type OutgoingMail } from './mailer.ts';
import { createMessage, createSignInMessage } from './message.ts';

interface MailServiceOptions {
  readonly useCases: Pick<
    ServiceUseCases,
    | 'queueMails'
    | 'claimMails'
    | 'confirmMail'
    | 'postponeMail'
    | 'deleteOldMails'
    | 'claimSignInMails'
  >;
  /** If null, notices are queued but not sent. */
  readonly mailer: Mailer | null;
  /** Mails with sign-in links need the URL of the desk. */
  readonly links: MailLinks;
  readonly logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

/** Sign-in links have a separate worker, because a person waits for each link. */
export function startMailService(options: MailServiceOptions) {
  const { useCases, mailer, links, logger } = options;
  const shared = {
    maxConcurrent: 4,
    pollMilliseconds: 2_000,
    stopMilliseconds: 3_000,
    onError: (error: unknown) =>
      logger.error({ err: error }, 'no mails can be written or sent for now'),
  };
  const sendWith =
    <Queued extends QueuedMail>(write: (mail: Queued) => OutgoingMail) =>
    (mail: Queued, { abortSignal }: SendSignals) =>
      sendMail(options, mail, () => mailer?.send(write(mail), abortSignal), abortSignal);
  const notices = startQueueWorker({
    ...shared,
    queueNext: useCases.queueMails,
    claim: mailer === null ? async () => [] : useCases.claimMails,
    send: sendWith((mail) => createMessage(mail, links)),
    deleteOld: useCases.deleteOldMails,
  });
  const { desk } = links;
  const signIn =
    mailer === null || desk === null || links.signIn?.hasLinks === false
      ? null
      : startQueueWorker({
          ...shared,
          claim: useCases.claimSignInMails,
          send: sendWith((mail) => createSignInMessage(mail, desk)),
        });
  return {
    /** Must be called when a person requests a sign-in link. */
    sendSignInLinks: () => signIn?.run(),
    async stop() {
      await Promise.all([notices.stop(), signIn?.stop()]);
    },
  };
}

/** Sends a claimed mail and stores the result. Never logs an email address or the text of a mail. */
async function sendMail(
  { useCases, logger }: MailServiceOptions,
  mail: QueuedMail,
  send: () => Promise<void> | undefined,
  abortSignal: AbortSignal,
): Promise<void> {
  const { id, attempts } = mail;
  try {
    await send();
  } catch (error) {
    // The server may already have accepted the mail. When the claim expires, the mail is sent again.
    if (abortSignal.aborted) return;
    const isRefused = error instanceof MailError;
    const reason = isRefused ? error.message : 'it could not be handed to the mail server';
    const nextAttemptAt = await useCases.postponeMail(mail, reason);
    const facts = { mail: id, attempts, code: isRefused ? error.code : null, nextAttemptAt };
    if (nextAttemptAt === null)
      logger.error(facts, 'a mail was not accepted; it will not be sent again');
    else logger.warn(facts, 'a mail was not accepted; it will be sent again');
    // The queue worker logs unexpected errors.
    if (!isRefused) throw error;
    return;
  }
  await useCases.confirmMail(mail);
  logger.debug({ mail: id, attempts }, 'a mail was sent');
}
