import { grantableScopes } from '#core';

/*
 * The valid JSON of an event, as conditions of SQL/JSON paths. If a member is missing, its condition isn't true.
 */

type Condition = (path: string) => string;

const ofType =
  (type: string): Condition =>
  (path) =>
    `${path}.type() == "${type}"`;
const text = ofType('string');
const number = ofType('number');
const flag = ofType('boolean');

/** Matches a time exactly as JavaScript writes it. */
const instant: Condition = (path) =>
  `${text(path)} && ${path} like_regex "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$"`;

const scope: Condition = (path) =>
  grantableScopes.map((known) => `${path} == "${known}"`).join(' || ');

const listOf =
  (item: Condition): Condition =>
  (path) =>
    `${path}.type() == "array" && !exists(${path}[*] ? (!(${item('@')})))`;

const orNull =
  (condition: Condition): Condition =>
  (path) =>
    `${path} == null || ${condition(path)}`;

const orAbsent =
  (condition: Condition): Condition =>
  (path) =>
    `!exists(${path}) || ${condition(path)}`;

const object =
  (members: Readonly<Record<string, Condition>>): Condition =>
  (path) =>
    [
      ofType('object')(path),
      ...Object.entries(members).map(([name, condition]) => `(${condition(`${path}.${name}`)})`),
    ].join(' && ');

/** Matches an object whose members all meet the condition. */
const mapOf =
  (member: Condition): Condition =>
  (path) =>
    `${ofType('object')(path)} && !exists(${path}.keyvalue() ? (!(${member('@.value')})))`;

const scopes = listOf(scope);

const terms = orNull(
  object({ use: text, metricKeys: orNull(listOf(text)), historyFrom: orNull(text) }),
);

const approval = object({
  actor: object({ type: text, id: orNull(text) }),
  createdAt: instant,
  scopes,
  terms,
  expiresAt: orNull(instant),
});

const request = object({
  requestedScopes: scopes,
  approvedScopes: scopes,
  previousScopes: scopes,
  pendingScopes: scopes,
  requestedTerms: terms,
  approvedTerms: terms,
  pendingTerms: terms,
  approvals: listOf(approval),
  status: text,
  version: text,
  amendments: number,
  purpose: orNull(text),
  pendingPurpose: orNull(text),
  additionDeclined: flag,
  reason: orNull(text),
  createdAt: instant,
  decidedAt: orNull(instant),
  expiresAt: orNull(instant),
  deadlineAt: instant,
  expiringAt: orNull(instant),
  reviewAt: orNull(instant),
  pausedAt: orNull(instant),
  firstReadAt: orNull(instant),
  lastEventType: text,
});

const update = object({
  dataVersion: text,
  metricKeys: listOf(text),
  latestPeriods: mapOf(text),
  corrections: orAbsent(mapOf(listOf(text))),
  hasSources: flag,
  hasAccounts: flag,
});

const ofSources = object({
  dataVersion: text,
  provider: text,
  accountName: text,
  sources: listOf(object({ provider: text, accountName: text })),
  sourceCount: number,
});

/**
 * True for a row of access_event that the service can read. The consumers read all events in order, so one event that
 * they can't read would stop all webhooks and mails.
 */
export const isReadableEvent = `(case
  when data is null then access_request @@ '${request('$')}'
    and access_request->>'id' = access_request_id
    and access_request->>'investorId' = investor_id
    and access_request->>'companyId' = company_id
  when type = 'company_data.updated' then data @@ '${update('$')}'
  else data @@ '${ofSources('$')}' end) is true`;
