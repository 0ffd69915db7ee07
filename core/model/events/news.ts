import { isSandboxCompany } from '../company-data/company.ts';
import type { AccessRequest } from '../consent/access-request.ts';
import type { Role } from '../identity/roles.ts';
import { addMilliseconds } from '../time.ts';
import {
  companyOf,
  type FeedEvent,
  isRequestEvent,
  isStillEnding,
  type RequestFeedEvent,
} from './access-event.ts';
import type { EventType } from './event-type.ts';

export const newsKinds = [
  'approved',
  'declined',
  'revoked',
  'expiring',
  'corrected',
  'late',
] as const;

export type NewsKind = (typeof newsKinds)[number];

export const newsFrequencies = ['at_once', 'daily', 'never'] as const;

export type NewsFrequency = (typeof newsFrequencies)[number];

export type NewsChoices = Readonly<Record<NewsKind, NewsFrequency>>;

export interface MailSettings {
  /** A language of the desk, for example `de`. Null if unknown. */
  readonly language: string | null;
  /** For example `Europe/Berlin`. Null if unknown. */
  readonly timeZone: string | null;
  /** Contains only the kinds for which the person chose a frequency. */
  readonly choices: Partial<NewsChoices>;
}

export const utc = 'UTC';

/** Adds the default frequencies. By default, admins get daily mails and other people get no mails. */
export function choicesOf(role: Role, chosen: Partial<NewsChoices>): NewsChoices {
  const entries = newsKinds.map((kind) => [kind, choiceOf(kind, role, chosen)] as const);
  return Object.fromEntries(entries) as NewsChoices;
}

const choiceOf = (kind: NewsKind, role: Role, chosen: Partial<NewsChoices>): NewsFrequency =>
  chosen[kind] ?? (role === 'admin' ? 'daily' : 'never');

export function isTimeZone(text: string): boolean {
  try {
    Temporal.Now.zonedDateTimeISO(text);
    // Rejects an offset such as +01:00, because an offset doesn't follow summer time.
    return /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text);
  } catch {
    return false;
  }
}

/** Returns the person's time zone. Returns UTC if the person has none, or if this process doesn't know it. */
export const timeZoneOf = (timeZone: string | null): string =>
  timeZone !== null && isTimeZone(timeZone) ? timeZone : utc;

const kinds: Readonly<Partial<Record<EventType, NewsKind>>> = {
  'access_request.approved': 'approved',
  'access_request.extended': 'approved',
  'access_request.declined': 'declined',
  'access_request.amendment_declined': 'declined',
  'access_request.revoked': 'revoked',
  'access_request.narrowed': 'revoked',
  'access_request.paused': 'revoked',
  'access_request.resumed': 'approved',
  'access_request.expiring': 'expiring',
  'access_request.expired': 'expiring',
  'company_data.updated': 'corrected',
  'source.failed': 'late',
  'source.stale': 'late',
};

export const eventTypesOf = (wanted: ReadonlySet<NewsKind>): EventType[] =>
  (Object.keys(kinds) as EventType[]).filter((type) => wanted.has(kinds[type] as NewsKind));

/** Returns the kind of news for an event. Null for the investor's own actions, new values and sandbox companies. */
export function newsKindOf(event: FeedEvent): NewsKind | null {
  if (isSandboxCompany(companyOf(event))) return null;
  if (event.type === 'company_data.updated' && event.data.corrections === undefined) return null;
  return kinds[event.type] ?? null;
}

export const digestHour = 8;

/** Returns the next time when the clocks in the time zone show `digestHour`. */
export function nextDigestAt(now: Date, timeZone: string): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const atHour = (days: number) =>
    local
      .toPlainDate()
      .add({ days })
      .toZonedDateTime({ timeZone, plainTime: { hour: digestHour } });
  const today = new Date(atHour(0).epochMilliseconds);
  return today > now ? today : new Date(atHour(1).epochMilliseconds);
}

const minute = 60_000;

/** The shortest time between two mails to one person about one company. */
const shortestIntervals: Readonly<Record<NewsKind, number>> = {
  approved: minute,
  declined: minute,
  revoked: minute,
  expiring: minute,
  corrected: 60 * minute,
  late: 60 * minute,
};

interface NewsReader extends Pick<MailSettings, 'timeZone' | 'choices'> {
  readonly role: Role;
}

/** The plan for a mail that collects news until it is sent. */
export interface NewsPlan {
  readonly kind: 'news' | 'digest';
  readonly dueAt: Date;
}

/**
 * Plans the mail about news of a kind. Returns null if the person wants no mails about this kind.
 *
 * @param lastAt the time of the person's last mail about only this company, or null
 */
export type PlanNews<Reader extends NewsReader = NewsReader> = (
  kind: NewsKind,
  reader: Reader,
  lastAt: Date | null,
) => NewsPlan | null;

/** Creates a planner for one batch of events. It caches the times of daily mails, which are slow to calculate. */
export function planNewsAt(now: Date): PlanNews {
  const digests = new Map<string | null, Date>();
  const digestAt = (timeZone: string | null) =>
    digests.getOrInsertComputed(timeZone, () => nextDigestAt(now, timeZoneOf(timeZone)));
  return (kind, { role, choices, timeZone }, lastAt) => {
    switch (choiceOf(kind, role, choices)) {
      case 'never':
        return null;
      case 'daily':
        return { kind: 'digest', dueAt: digestAt(timeZone) };
      case 'at_once': {
        const earliest = lastAt === null ? now : addMilliseconds(lastAt, shortestIntervals[kind]);
        return { kind: 'news', dueAt: earliest > now ? earliest : now };
      }
    }
  };
}

export interface CompanyNews {
  readonly companyId: string;
  readonly companyName: string;
  /** The last change to the investor's access, or null. */
  readonly access: { readonly kind: NewsKind; readonly event: RequestFeedEvent } | null;
  readonly corrections: number;
  readonly correctedKeys: ReadonlySet<string>;
  readonly lateSources: ReadonlySet<string>;
}

/** Collects the news for one mail. Uses limited memory for any number of events. */
export class NewsGathering {
  readonly #companies = new Map<string, CompanyNews>();
  readonly #wanted: ReadonlySet<NewsKind>;

  constructor(wanted: ReadonlySet<NewsKind>) {
    this.#wanted = wanted;
  }

  /** @param event only with data that the recipient may see. Each company's events must be in feed order */
  add(event: FeedEvent): void {
    const kind = newsKindOf(event);
    if (kind === null || !this.#wanted.has(kind)) return;
    const companyId = companyOf(event);
    const news = this.#companies.get(companyId) ?? {
      companyId,
      companyName: event.companyName,
      access: null,
      corrections: 0,
      correctedKeys: new Set<string>(),
      lateSources: new Set<string>(),
    };
    this.#companies.set(companyId, { ...news, ...addedTo(news, kind, event) });
  }

  endingRequestIds(): string[] {
    return [...this.#companies.values()].flatMap(({ access }) =>
      access?.event.type === 'access_request.expiring' ? [access.event.accessRequest.id] : [],
    );
  }

  /**
   * Returns the news, sorted by company name. Leaves out warnings about grants whose expiry has changed.
   *
   * @param requests the present state of the access requests that `endingRequestIds` returned
   */
  list(requests: readonly AccessRequest[]): CompanyNews[] {
    const present = new Map(requests.map((request) => [request.id, request]));
    return [...this.#companies.values()]
      .map((news) => (isOver(news, present) ? { ...news, access: null } : news))
      .filter((news) => news.access || news.corrections > 0 || news.lateSources.size > 0)
      .toSorted((one, other) => one.companyName.localeCompare(other.companyName, 'en'));
  }
}

function addedTo(news: CompanyNews, kind: NewsKind, event: FeedEvent): Partial<CompanyNews> {
  if (isRequestEvent(event)) return { access: { kind, event } };
  if (event.type === 'company_data.updated') {
    const added = Object.entries({ ...event.data.corrections });
    return {
      corrections: added.reduce((sum, [, periods]) => sum + periods.length, news.corrections),
      correctedKeys: news.correctedKeys.union(new Set(added.map(([key]) => key))),
    };
  }
  const names = event.data.sources.map(({ provider, accountName }) => `${provider} ${accountName}`);
  return { lateSources: news.lateSources.union(new Set(names)) };
}

function isOver({ access }: CompanyNews, present: ReadonlyMap<string, AccessRequest>): boolean {
  if (access?.event.type !== 'access_request.expiring') return false;
  const request = present.get(access.event.accessRequest.id);
  return request === undefined || !isStillEnding(access.event, request);
}
