import type { Logger } from 'pino';
import type { QueuedMail, ServiceUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { MailError, type Mailer, type OutgoingMail } from './mailer.ts';

interface DeliveryOptions<Queued extends QueuedMail> {
  /** Takes some that are due, at most so many. */
  readonly claim: (limit: number) => Promise<Queued[]>;
  readonly write: (mail: Queued) => OutgoingMail;
  readonly useCases: Pick<ServiceUseCases, 'confirmMail' | 'postponeMail'>;
  readonly mailer: Mailer;
  readonly logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
  /** What broke is not the mail server. */
  readonly onError: (error: unknown) => void;
}

const periodMilliseconds = 2_000;
const stopMilliseconds = 3_000;
const mailsAtOnce = 4;

/** Sends the mails of one kind that are due, a few at a time. Logs no address and no word of a mail. */
export function startDelivery<Queued extends QueuedMail>({
  claim,
  write,
  useCases,
  mailer,
  logger,
  onError,
}: DeliveryOptions<Queued>): PeriodicTask {
  const givingUp = new AbortController();
  const underway = new Set<Promise<void>>();

  async function attempt(mail: Queued): Promise<void> {
    const { id, attempts } = mail;
    try {
      await mailer.send(write(mail), givingUp.signal);
    } catch (error) {
      // Nobody knows whether it has arrived: it is sent again when its lease is over.
      if (givingUp.signal.aborted) return;
      const isOurs = !(error instanceof MailError);
      if (isOurs) onError(error);
      const reason = isOurs ? 'it could not be handed to the mail server' : error.message;
      const nextAttemptAt = await useCases.postponeMail(mail, reason);
      const facts = { mail: id, attempts, code: isOurs ? null : error.code, nextAttemptAt };
      if (nextAttemptAt === null) logger.error(facts, 'a mail was set aside');
      else logger.warn(facts, 'a mail was not taken; it is tried again');
      return;
    }
    await useCases.confirmMail(mail);
    logger.debug({ mail: id, attempts }, 'a mail was sent');
  }

  const task = runPeriodically(
    async (signal) => {
      while (!signal.aborted && underway.size < mailsAtOnce) {
        const mails = await claim(mailsAtOnce - underway.size);
        if (mails.length === 0) return;
        for (const mail of mails) {
          const sending = attempt(mail)
            .catch(onError)
            .finally(() => {
              underway.delete(sending);
              // One that ends makes room for another, so a slow one delays only itself.
              task.run();
            });
          underway.add(sending);
        }
      }
    },
    periodMilliseconds,
    onError,
  );

  return {
    run: task.run,
    /** Lets the mails that are on their way arrive for a moment, then gives them up. */
    async stop() {
      const timer = setTimeout(() => givingUp.abort(), stopMilliseconds);
      await task.stop();
      await Promise.all(underway);
      clearTimeout(timer);
    },
  };
}
