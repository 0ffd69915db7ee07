import type { Mail, MailState } from '../../model/events/mail.ts';
import { requireLimit } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

export const defaultMailCount = 100;
const maxMailCount = 10_000;

interface MailFilter {
  readonly state?: MailState | undefined;
  readonly limit?: number | undefined;
}

/** @throws AccessError `invalid_parameter` */
export const listMails =
  ({ mails }: Ports) =>
  async (filter: MailFilter = {}): Promise<{ mails: Mail[]; hasMore: boolean }> => {
    const { state, limit = defaultMailCount } = filter;
    requireLimit(limit, maxMailCount, 'mails');
    const found = await mails.list(state ?? null, limit + 1);
    return { mails: found.slice(0, limit), hasMore: found.length > limit };
  };
