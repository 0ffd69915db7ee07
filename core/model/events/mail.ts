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
import { isAsking } from './event-type.ts';

/** What a company's contacts are told of an event by mail. */
export type NoticeKind = 'request_received' | 'grant_ending' | 'grant_ended';

export const mailStates = ['waiting', 'sent', 'failed'] as const;

export type MailState = (typeof mailStates)[number];

interface MailToContact {
  readonly id: string;
  readonly contactId: string;
  readonly to: string;
  readonly state: MailState;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  /** Why the last attempt failed, in the words of the mail server, or why it was set aside. */
  readonly lastFailure: string | null;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
}

/** The notice of one event to one contact. There is never a second one for the two. */
export interface Notice extends MailToContact {
  readonly kind: NoticeKind;
  readonly event: RequestFeedEvent;
}

/** Tells somebody that he is a contact of a company or an investor now, and where to sign in. */
export interface Invitation extends MailToContact {
  readonly kind: 'contact_invited';
  readonly event: null;
  readonly owner: Owner;
  /** Of the owner. */
  readonly name: string;
}

/**
 * Tells somebody who manages the settings, or was just removed, what an intruder would change first. It is to an address,
 * so that it is sent even when its contact is removed next.
 */
export interface SettingsNotice extends Omit<MailToContact, 'contactId'> {
  readonly contactId: null;
  readonly kind: 'settings_changed';
  readonly event: null;
  readonly owner: Owner;
  /** Of the owner. */
  readonly name: string;
  readonly change: SettingsChange;
}

export type Mail = Notice | Invitation | SettingsNotice;
export type MailKind = Mail['kind'];

/** What the contacts are told of an event; null: nothing, because the company made the change or nothing was granted. */
export function mailKindOf(event: FeedEvent): NoticeKind | null {
  if (!isRequestEvent(event)) return null;
  const { type, accessRequest } = event;
  if (isSandboxCompany(accessRequest.companyId)) return null;
  if (isAsking(type)) return 'request_received';
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

/** When a mail is tried again after so many attempts have failed; null: no more. */
export function nextMailAttempt(attempts: number, now: Date): Date | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : addMilliseconds(now, delay);
}

/** For how long the end of a grant is news, and an invitation is not forgotten. */
const newsDays = 30;

/** So many mails that a request has come, of one investor to one contact, are sent within the time. */
export const maxRequestMails = { count: 5, milliseconds: hour } as const;

/** Whether the company can still answer what the event tells of. The request is given as it stands now. */
export function isUnanswered(
  { accessRequest: then }: AccessEvent,
  request: AccessRequest,
): boolean {
  if (then.status === 'pending') return request.status === 'pending';
  return isSubset(then.pendingScopes, request.pendingScopes);
}

/** Whether a grant still ends when the event says. The request is given as it stands now. */
export function isStillEnding(
  { accessRequest: then }: AccessEvent,
  request: AccessRequest,
): boolean {
  return (
    request.status === 'approved' && request.deadlineAt.getTime() === then.deadlineAt.getTime()
  );
}

/** Whether it is too late to send the mail: what it asks to be answered or prevented has ended by itself. */
export function isMailOutdated(mail: Mail, now: Date): boolean {
  return endOf(mail) <= now;
}

function endOf({ kind, event, createdAt }: Mail): Date {
  if (event === null) return addDays(createdAt, newsDays);
  return kind === 'grant_ended'
    ? addDays(event.createdAt, newsDays)
    : event.accessRequest.deadlineAt;
}
