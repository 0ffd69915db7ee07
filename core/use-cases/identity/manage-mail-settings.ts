import { z } from 'zod';
import { ensure } from '../../model/errors.ts';
import {
  choicesOf,
  isTimeZone,
  type NewsChoices,
  newsFrequencies,
  newsKinds,
  utc,
} from '../../model/events/news.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import type { InvestorContactCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

const inputSchema = z.strictObject({
  /** The language of the settings page. The person's mails use the same language. */
  language: z.string().regex(/^[a-z]{2}$/),
  timeZone: z.string().refine(isTimeZone, 'isn’t a time zone'),
  choices: z.record(z.enum(newsKinds), z.enum(newsFrequencies)),
});

export interface OwnMailSettings {
  readonly timeZone: string;
  /** False if the person has chosen no time zone, which means UTC. */
  readonly isTimeZoneKnown: boolean;
  readonly choices: NewsChoices;
}

/** @throws AccessError `contact_not_found` */
export const readOwnMailSettings =
  ({ contacts }: Ports) =>
  async ({ contactId, role }: InvestorContactCaller): Promise<OwnMailSettings> => {
    const reader = await contacts.findMailReader(contactId);
    ensure(reader !== null, 'contact_not_found');
    return {
      timeZone: reader.timeZone ?? utc,
      isTimeZoneKnown: reader.timeZone !== null,
      choices: choicesOf(role, reader.choices),
    };
  };

export const saveOwnMailSettings =
  ({ contacts }: Ports) =>
  async (
    { contactId, investorId, credential }: InvestorContactCaller & Permitted,
    input: z.input<typeof inputSchema>,
  ): Promise<void> => {
    const settings = parseInput(inputSchema, input);
    await contacts.transact({ investorId }, credential, (own) =>
      own.saveMailSettings(contactId, settings),
    );
  };
