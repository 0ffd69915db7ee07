import { isSandboxCompany } from '../company-data/company.ts';
import { type AccessRequest, isSubset } from '../consent/access-request.ts';
import type { Owner } from '../identity/owner.ts';
import type { SettingsChange } from '../identity/settings-change.ts';
import { addDays, addMilliseconds } from '../time.ts';
import {
  type AccessEvent,
  type FeedEvent,
  isRequestEvent,
  type RequestFeedEvent,
} from './access-event.ts';
import { isScopeRequest } from './event-type.ts';
import type { CompanyNews, MailSettings } from './news.ts';

/** The kinds of mails about an event to a company's contacts. */
export type NoticeKind = 'request_received' | 'grant_ending' | 'grant_ended';

export const mailStates = ['waiting', 'sent', 'failed'] as const;

export type MailState = (typeof mailStates)[number];

interface MailToContact extends Pick<MailSettings, 'language' | 'timeZone'> {
  readonly id: string;
  readonly contactId: string;
  readonly to: string;
  readonly state: MailState;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  /** The mail server's message for the last failed attempt, or the reason why the mail was dropped. */
  readonly lastFailure: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
}

interface OwnerMail {
  readonly event: null;
  readonly owner: Owner;
  /** The owner's name. */
  readonly name: string;
}

/** The mail to one contact about one event. It is sent at most once. */
export interface Notice extends MailToContact {
  readonly kind: NoticeKind;
  readonly event: RequestFeedEvent;
}

/** Informs a person about the new role at a company or an investor, and where to sign in. */
export interface Invitation extends MailToContact, OwnerMail {
  readonly kind: 'contact_invited';
  readonly change: SettingsChange;
}

/**
 * Warns admins and removed people about a change that an intruder would make first. Names an address instead of a
 * contact, so that it is sent even if the contact is removed next.
 */
export interface SettingsNotice extends Omit<MailToContact, 'contactId'>, OwnerMail {
  readonly contactId: null;
  readonly kind: 'settings_changed';
  readonly change: SettingsChange;
}

/**
 * Notifies a person of an investor, at once or once a day. Its content is read from the feed when it is sent, so it
 * contains only what the person may see then.
 */
export interface NewsMail extends MailToContact, OwnerMail {
  readonly kind: 'news' | 'digest';
  /** The last position of the feed before the mail. */
  readonly afterPosition: string;
  /** The last position of the feed in the mail. It moves until a process claims the mail. */
  readonly untilPosition: string;
  /** The only company of the mail. Null means any company. */
  readonly aboutCompanyId: string | null;
}

export interface WrittenNews extends NewsMail {
  readonly news: readonly CompanyNews[];
}

export const isNewsMail = <Other extends { readonly kind: string }>(
  mail: Other | NewsMail,
): mail is NewsMail => mail.kind === 'news' || mail.kind === 'digest';

export type Mail = Notice | Invitation | SettingsNotice | NewsMail;
export type MailKind = Mail['kind'];

/** Returns null if the company made the change itself, or if the ended request was never granted. */
export function mailKindOf(event: FeedEvent): NoticeKind | null {
  if (!isRequestEvent(event)) return null;
  const { type, accessRequest } = event;
  if (isSandboxCompany(accessRequest.companyId)) return null;
  if (isScopeRequest(type)) return 'request_received';
  switch (type) {
    case 'access_request.expiring':
      return 'grant_ending';
    case 'access_request.expired':
    case 'access_request.withdrawn':
      return accessRequest.approvedScopes.length > 0 ? 'grant_ended' : null;
    default:
      return null;
  }
}

const minute = 60_000;
const hour = 60 * minute;
const delays = [minute, 5 * minute, 30 * minute, 2 * hour, 8 * hour];

/** Returns null after the last attempt. */
export function nextMailAttempt(attempts: number, now: Date): Date | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : addMilliseconds(now, delay);
}

/** Invitations, and mails about the end of a grant, are dropped after this time. */
const newsDays = 30;

/** The limit of mails about new requests from one investor to one contact. */
export const maxRequestMails = { count: 5, milliseconds: hour } as const;

/** Returns true if the company can still answer the event's request. `request` must be in its present state. */
export function isUnanswered(
  { accessRequest: then }: AccessEvent,
  request: AccessRequest,
): boolean {
  if (then.status === 'pending') return request.status === 'pending';
  return isSubset(then.pendingScopes, request.pendingScopes);
}

/** Returns true if the mail would be too late, because its request or grant has ended. */
export function isMailOutdated(mail: Mail, now: Date): boolean {
  return endOf(mail) <= now;
}

function endOf({ kind, event, createdAt }: Mail): Date {
  if (event === null) return addDays(createdAt, newsDays);
  return kind === 'grant_ended'
    ? addDays(event.createdAt, newsDays)
    : event.accessRequest.deadlineAt;
}
