import type {
  SettingsActor,
  SettingsChange,
  SettingsSubject,
} from '../identity/settings-change.ts';
import { type Erased, erasedName, erasedPerson, eraseText } from './erased.ts';

/**
 * In an entry of the settings log, replaces the addresses, names and texts that must be erased. Roles, scopes, times
 * and IDs stay unchanged. If a company or an investor is erased, the entry must belong to it.
 */
export function eraseEntry(erased: Erased, entry: SettingsChange): SettingsChange {
  const { actor, subject, changes } = entry;
  const values = Object.entries(changes).map(([member, { from, to }]) => [
    member,
    {
      from: eraseValue(erased, subject, member, from),
      to: eraseValue(erased, subject, member, to),
    },
  ]);
  return {
    ...entry,
    actor: { ...actor, name: eraseActor(erased, actor) },
    subject: { ...subject, name: eraseSubject(erased, subject) },
    changes: Object.fromEntries(values),
  };
}

const eraseAddress = (erased: Erased, address: string, contactId: string | null): string =>
  'email' in erased && erased.email !== address ? address : erasedPerson(contactId);

/** The name of an actor is the address of a contact, or null. */
const eraseActor = (erased: Erased, { id, name }: SettingsActor): string | null =>
  name === null ? null : eraseAddress(erased, name, id);

function eraseSubject(erased: Erased, { type, id, name }: SettingsSubject): string {
  switch (type) {
    case 'contact':
      return eraseAddress(erased, name, id);
    case 'company':
    case 'investor':
      return eraseOrganisation(erased, id, name);
    case 'api_key':
    case 'company_key':
      return eraseText(erased, name);
    case 'webhook_endpoint':
      return eraseUrl(erased, name);
    default:
      return name;
  }
}

function eraseOrganisation(erased: Erased, id: string, name: string): string {
  if ('email' in erased) return name;
  const erasedId = 'companyId' in erased ? erased.companyId : erased.investorId;
  return erasedId === id ? erasedName(erased) : name;
}

/** Keeps the URL if a person is erased, because the organisation's webhook endpoint stays and the log must match it. */
const eraseUrl = (erased: Erased, url: string): string =>
  'email' in erased ? url : eraseText(erased, url);

type Value = SettingsChange['changes'][string]['from'];

function eraseValue(erased: Erased, subject: SettingsSubject, member: string, value: Value): Value {
  if (typeof value !== 'string') return value;
  switch (member) {
    case 'email':
      return eraseAddress(erased, value, subject.id);
    case 'name':
      return eraseSubject(erased, { ...subject, name: value });
    case 'portfolioOf':
      return 'investorId' in erased ? erasedName(erased) : value;
    case 'url':
    case 'disabledReason':
      return eraseUrl(erased, value);
    case 'reason':
      return eraseText(erased, value);
    default:
      return value;
  }
}
