import type { Logger } from 'pino';
import type { ServiceUseCases } from '#core';
import { type PeriodicTask, runPeriodically } from '../run-periodically.ts';
import { startDelivery } from './delivery.ts';
import type { MailLinks } from './links.ts';
import type { Mailer } from './mailer.ts';
import { createMessage, createSignInMessage } from './message.ts';

interface MailServiceOptions {
  readonly useCases: Pick<
    ServiceUseCases,
    | 'queueMails'
    | 'claimMails'
    | 'confirmMail'
    | 'postponeMail'
    | 'forgetOldMails'
    | 'claimSignInMails'
  >;
  /** Null: notices are written, and wait. */
  readonly mailer: Mailer | null;
  /** Without the desk's, or where links sign nobody in, no links to sign in are sent. */
  readonly links: MailLinks;
  readonly logger: Pick<Logger, 'debug' | 'warn' | 'error'>;
}

interface MailService {
  /** To be called when somebody waits for a link. */
  sendSignInLinks(): void;
  stop(): Promise<void>;
}

const periodMilliseconds = 2_000;
const forgettingMilliseconds = 3_600_000;

/**
 * Writes mails for what happens, and sends them. The two go on beside each other, so a slow mail server keeps none from
 * being written; and links to sign in, for which a person waits, don't wait behind notices.
 */
export function startMailService(options: MailServiceOptions): MailService {
  const { useCases, logger } = options;
  let isBroken = false;
  // An outage of the database is logged when it begins, not every time that it is met.
  const onError = (error: unknown): void => {
    if (!isBroken) logger.error({ err: error }, 'no mails can be written or sent for now');
    isBroken = true;
  };
  const [notices, signIn] = startDeliveries(options, onError);
  const writing = runPeriodically(
    async (signal) => {
      while (!signal.aborted && (await useCases.queueMails()) > 0) notices?.run();
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
    sendSignInLinks: () => signIn?.run(),
    async stop() {
      await Promise.all([writing.stop(), forgetting.stop(), notices?.stop(), signIn?.stop()]);
    },
  };
}

function startDeliveries(
  { useCases, mailer, links, logger }: MailServiceOptions,
  onError: (error: unknown) => void,
): [notices: PeriodicTask | null, signIn: PeriodicTask | null] {
  if (mailer === null) return [null, null];
  const shared = { useCases, mailer, logger, onError };
  const notices = startDelivery({
    ...shared,
    claim: useCases.claimMails,
    write: (mail) => createMessage(mail, links),
  });
  const { desk } = links;
  if (desk === null || links.signIn?.hasLinks === false) return [notices, null];
  const signIn = startDelivery({
    ...shared,
    claim: useCases.claimSignInMails,
    write: (mail) => createSignInMessage(mail, desk),
  });
  return [notices, signIn];
}
