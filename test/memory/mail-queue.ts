import type { MailAttempt, MailQueue, SignInLinkState } from '#core';
import { byAge, compare, oldestFirst } from './store.ts';

interface StoredMail extends MailAttempt {
  readonly state: SignInLinkState;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
}

interface Kept<Stored extends StoredMail, Claimed> {
  all(): Stored[];
  save(mail: Stored): void;
  /** True if the earlier mail counts towards the limit for the later mail. */
  isSimilar(earlier: Stored, mail: Stored): Promise<boolean>;
  read(mail: Stored): Promise<Claimed>;
}

/** Changes nothing if another process has claimed the mail since, or if its outcome is already stored. */
export function changeAttempt<Stored extends StoredMail>(
  { all, save }: Pick<Kept<Stored, unknown>, 'all' | 'save'>,
  { id, attempts }: MailAttempt,
  next: Partial<Stored>,
): boolean {
  const mail = all().find((one) => one.id === id);
  if (mail?.attempts !== attempts || mail.state !== 'waiting') return false;
  save({ ...mail, ...next });
  return true;
}

export function createMemoryMailQueue<Stored extends StoredMail, Claimed extends MailAttempt>(
  kept: Kept<Stored, Claimed>,
): MailQueue<Claimed> {
  const { all, save, isSimilar, read } = kept;
  return {
    async claim({ now, until, limit }) {
      const claimed = all()
        .filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now)
        .toSorted(
          (a, b) => Number(a.nextAttemptAt) - Number(b.nextAttemptAt) || compare(a.id, b.id),
        )
        .slice(0, limit)
        .map((mail) => ({ ...mail, attempts: mail.attempts + 1, nextAttemptAt: until }));
      for (const mail of claimed) save(mail);
      return Promise.all(claimed.map(read));
    },

    async findExcessive(ids, { count, milliseconds }) {
      const excessive = new Set<string>();
      const sentOrWaiting = oldestFirst(
        all().filter(({ state }) => state === 'waiting' || state === 'sent'),
      );
      for (const mail of oldestFirst(all()).filter(({ id }) => ids.includes(id))) {
        const since = Number(mail.createdAt) - milliseconds;
        const similar = await Promise.all(
          sentOrWaiting.map(
            async (earlier) =>
              Number(earlier.createdAt) > since &&
              byAge(earlier, mail) < 0 &&
              (await isSimilar(earlier, mail)),
          ),
        );
        if (similar.filter(Boolean).length >= count) excessive.add(mail.id);
      }
      return excessive;
    },

    async settle(attempt, { state, nextAttemptAt, lastFailure, sentAt }) {
      const outcome = { state, nextAttemptAt, lastFailure, sentAt } as unknown as Partial<Stored>;
      changeAttempt(kept, attempt, outcome);
    },
  };
}
