import type { Logger } from 'pino';
import type { OperatorUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { startDelivery } from './delivery.ts';
import type { Mailer } from './mailer.ts';

interface MailServiceOptions {
  readonly useCases: Pick<
    OperatorUseCases,
    'queueMails' | 'claimMails' | 'confirmMail' | 'postponeMail' | 'forgetOldMails'
  >;
  /** Null: mails are written, and wait. */
  readonly mailer: Mailer | null;
  readonly publicUrl: string | null;
  readonly logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

const periodMilliseconds = 2_000;
const forgettingMilliseconds = 3_600_000;

/**
 * Writes mails for what happens, and sends them. The two go on beside each other, so a slow mail server keeps none from
 * being written.
 */
export function startMailService(options: MailServiceOptions): Pick<PeriodicTask, 'stop'> {
  const { useCases, mailer, logger } = options;
  let isBroken = false;
  // An outage of the database is logged when it begins, not every time that it is met.
  const onError = (error: unknown): void => {
    if (!isBroken) logger.error({ err: error }, 'no mails can be written or sent for now');
    isBroken = true;
  };
  const delivery = mailer && startDelivery({ ...options, mailer, onError });
  const writing = runPeriodically(
    async (signal) => {
      while (!signal.aborted && (await useCases.queueMails()) > 0) delivery?.run();
      isBroken = false;
    },
    periodMilliseconds,
    onError,
  );
  const forgetting = runPeriodically(
    async (signal) => {
      while (!signal.aborted && (await useCases.forgetOldMails()) > 0);
    },
    forgettingMilliseconds,
    onError,
  );
  return {
    async stop() {
      await Promise.all([writing.stop(), forgetting.stop(), delivery?.stop()]);
    },
  };
}
