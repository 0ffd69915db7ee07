import { isSandboxCompany } from '../company-data/company.ts';
import { type AccessRequest, awaitsDecision, isSubset } from '../consent/access-request.ts';
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

/** The kinds of mails that inform a company's contacts about an event. */
export const noticeKinds = [
  'request_received',
  'approval_needed',
  'review_due',
  'grant_ending',
  'grant_ended',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

/** Only contacts who may decide get these notices. */
export const noticesForDeciders: readonly NoticeKind[] = ['approval_needed', 'review_due'];

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
  /** The name of the company or the investor. */
  readonly name: string;
}

/** The mail to one contact about one event. It is sent at most once. */
export interface Notice extends MailToContact {
  readonly kind: NoticeKind;
  readonly event: RequestFeedEvent;
}

/** Informs a person about a new role at a company or an investor. Contains the URL of the sign-in page. */
export interface Invitation extends MailToContact, OwnerMail {
  readonly kind: 'contact_invited';
  readonly change: SettingsChange;
}

/**
 * Warns people about a change that an intruder would make first, such as a new admin. The mail stores an address
 * instead of a contact ID. So the mail is sent even if the contact is removed right after the change.
 */
export interface SettingsNotice extends Omit<MailToContact, 'contactId'>, OwnerMail {
  readonly contactId: null;
  readonly kind: 'settings_changed';
  readonly change: SettingsChange;
}

/**
 * Notifies a contact of an investor about news, at once or once a day. The content is read from the feed when the mail
 * is sent. So the mail contains only what the contact may see at that time.
 */
export interface NewsMail extends MailToContact, OwnerMail {
  readonly kind: 'news' | 'digest';
  /** The mail contains events after this position of the feed. */
  readonly afterPosition: string;
  /** The last position of the feed in this mail. It can increase until a process claims the mail. */
  readonly untilPosition: string;
  /** The company that the mail is about. Null if the mail can contain news about several companies. */
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

/**
 * Returns the kind of mail that a company's contacts get about an event. Null if the company made the change itself, or
 * if an access request ended without a grant.
 */
export function mailKindOf(event: FeedEvent): NoticeKind | null {
  if (!isRequestEvent(event)) return null;
  const { type, accessRequest } = event;
  if (isSandboxCompany(accessRequest.companyId)) return null;
  if (isScopeRequest(type)) return 'request_received';
  switch (type) {
    case 'access_request.expiring':
      return 'grant_ending';
    case 'access_request.review_due':
      return 'review_due';
    case 'access_request.approval_added':
      return 'approval_needed';
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

/** Returns the time of the next attempt. Null after the last attempt. */
export function nextMailAttempt(attempts: number, now: Date): Date | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : addMilliseconds(now, delay);
}

/** Unsent mails are dropped after this many days, or at the deadline of their request or grant. */
const newsDays = 30;

/** The maximum number of mails that a contact gets about one investor's new access requests within a period. */
export const maxRequestMails = { count: 5, milliseconds: hour } as const;

/** Returns true if the company can still answer the request. `request` must be its present state. */
export function isUnanswered(
  { accessRequest: then }: AccessEvent,
  request: AccessRequest,
): boolean {
  // An amendment drops the first of two approvals.
  if (!awaitsDecision(request) || request.approvals.length < then.approvals.length) return false;
  return then.status === request.status && isSubset(then.pendingScopes, request.pendingScopes);
}

/** Returns true if the mail is too late, because its access request or grant has ended. */
export function isMailOutdated(mail: Mail, now: Date): boolean {
  return endOf(mail) <= now;
}

function endOf({ kind, event, createdAt }: Mail): Date {
  if (event === null) return addDays(createdAt, newsDays);
  return kind === 'grant_ended'
    ? addDays(event.createdAt, newsDays)
    : event.accessRequest.deadlineAt;
}
