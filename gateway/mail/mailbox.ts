import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';

const address = z.email({ pattern: z.regexes.html5Email });

/** One mailbox, with a name or without: `access@example.com`, `Portfolio Access <access@example.com>`. */
export const mailbox = z.string().transform((text, context) => {
  const [first, ...others] = addressparser(text);
  if (others.length === 0 && address.safeParse(first?.address).success && !/\p{Cc}/u.test(text)) {
    return { name: first?.name ?? '', address: first?.address ?? '' };
  }
  context.addIssue('must be one address, like Portfolio Access <access@example.com>');
  return z.NEVER;
});
